import type { PairFacts } from '../../../engine/index.ts';

/** A row as the doctor reads it. */
export interface DoctorRow {
  readonly row: number;
  readonly line: number;
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly correct: boolean | null;
  readonly split: string | null;
  /** The number of the column that a judge learns from. */
  readonly score: number | null;
}

/** A pair of a right and a wrong answer to one prompt, the earlier row as `a`. */
export interface RowPair extends PairFacts {
  readonly rows: readonly [number, number];
  /** True if both are from one record of the file: then their order says nothing. */
  readonly isRecord: boolean;
}

/** Most pairs of one prompt, as when runs train on a dataset. */
const mostOfPrompt = 1000;

const pairOf = (x: DoctorRow, y: DoctorRow, isRecord: boolean): RowPair => {
  const [a, b] = x.row < y.row ? [x, y] : [y, x];
  return {
    id: `${a.row}-${b.row}`,
    rows: [a.row, b.row],
    prompt: a.prompt,
    a: a.answer,
    b: b.answer,
    verdict: a.correct === true ? 'a' : 'b',
    isRecord,
  };
};

/**
 * The pairs of rows: the preferences of the file, where a record has a right and a wrong answer; else every
 * right answer to a prompt with every wrong one, at most 1,000 of a prompt.
 */
export function pairsOf(rows: readonly DoctorRow[]): RowPair[] {
  const prompts = Map.groupBy(
    rows.filter(({ correct }) => correct !== null),
    ({ promptId }) => promptId,
  );
  return [...prompts.values()].flatMap((own) => {
    const records = [...Map.groupBy(own, ({ line }) => line)].flatMap(([line, of]) =>
      line === 0 ? [] : crossed(of, true),
    );
    return records.length > 0 ? records : crossed(own, false);
  });
}

function crossed(rows: readonly DoctorRow[], isRecord: boolean): RowPair[] {
  const wrongs = rows.filter(({ correct }) => correct === false);
  const pairs: RowPair[] = [];
  for (const right of rows) {
    if (right.correct !== true) continue;
    for (const wrong of wrongs) {
      if (pairs.length === mostOfPrompt) return pairs;
      pairs.push(pairOf(right, wrong, isRecord));
    }
  }
  return pairs;
}
