/**
 * Where the attempts of a lineage are drawn: a column for each round, arrows from what an attempt was shown.
 */
import type { Attempt } from './lineage.ts';

export const box = { width: 176, height: 44 } as const;
const gap = { column: 72, row: 8, head: 28 } as const;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** Left upper corners, one for each attempt; null for one that is not drawn. */
  readonly places: readonly ({ readonly x: number; readonly y: number } | null)[];
  readonly arrows: readonly { readonly from: number; readonly to: number; readonly path: string }[];
  /** Left edges of the columns. */
  readonly columns: readonly number[];
}

/** The attempts of the rounds, those of a round below one another. */
export function drawn(attempts: readonly Attempt[]): Drawing {
  const rounds = Math.max(-1, ...attempts.map(({ round }) => round)) + 1;
  const rows = Array.from({ length: rounds }, () => 0);
  const places = attempts.map(({ round }) => {
    if (round < 0) return null;
    const row = rows[round]++;
    return { x: round * (box.width + gap.column), y: gap.head + row * (box.height + gap.row) };
  });
  const arrows = attempts.flatMap(({ saw }, to) =>
    [...new Set(saw)].flatMap((from) => {
      const [start, end] = [places[from], places[to]];
      if (!start || !end) return [];
      const [x1, y1] = [start.x + box.width, start.y + box.height / 2];
      const [x2, y2] = [end.x - 3, end.y + box.height / 2];
      const bend = (x2 - x1) / 2;
      return [{ from, to, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }];
    }),
  );
  return {
    width: rounds * (box.width + gap.column) - gap.column,
    height: gap.head + Math.max(0, ...rows) * (box.height + gap.row),
    places,
    arrows,
    columns: rows.map((_count, round) => round * (box.width + gap.column)),
  };
}

/** The attempt that an arrow key leads to: the nearest of the column beside it, or the next of its own. */
export function movedTo(key: string, at: number, attempts: readonly Attempt[]): number {
  const column = (round: number) => [...attempts.keys()].filter((each) => attempts[each].round === round);
  const { round } = attempts[at];
  const own = column(round);
  const row = own.indexOf(at);
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (step !== undefined) return own[row + step] ?? at;
  const beside = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const others = beside === undefined || round + beside < 0 ? [] : column(round + beside);
  return others[Math.min(row, others.length - 1)] ?? at;
}
