import { pairColumns, type Preference } from '../../engine/schema/preference.ts';
import type { Db } from './database.ts';
import { fromJson, sha256 } from './json.ts';
import { allRows, sidesOf, type Side } from './sides.ts';

/** Most pairs per prompt. A prompt of 6,000 right and 6,000 wrong answers has 36 million. */
export const mostPairsOfPrompt = 1000;

type Right = { row: number; prompt_id: string; prompt: string; answer: string; extra: string | null };
type Wrong = { row: number; answer: string };
/** A prompt with more than `mostPairsOfPrompt` pairs. */
interface Crowded {
  readonly rights: number;
  /** Rowids of its wrong answers. */
  readonly wrongs: Float64Array;
  /** Number of right answers paired so far. */
  taken: number;
}

/**
 * Pairs of a right and a wrong answer to the same prompt, ordered by the right one, then by the wrong one; a
 * hash of the pair chooses which is `a`. Rows without a side (excluded ones), and rows of two sides, make no
 * pair. A prompt with too many pairs gives `mostPairsOfPrompt`: about equally many per right answer, with wrong
 * ones spread evenly from an offset given by a hash. Equal answers make no pair. The columns `pair weight` and
 * `pair agreement` of the right row, as operators of plans write them, are the weight and the soft label of its
 * pairs.
 */
export function* preferencesOf(
  db: Db,
  datasetId: string,
  sideOf: (row: number) => Side | null = sidesOf(db, datasetId, allRows),
): Generator<Preference> {
  const rights = db.prepare<[string], Right>(
    'select row, prompt_id, prompt, answer, extra from dataset_rows where dataset_id = ? and correct = 1 order by row',
  );
  const wrongsOf = db.prepare<[string, string], Wrong>(
    'select row, answer from rows_by_prompt where dataset_id = ? and prompt_id = ? and correct = 0 order by row',
  );
  const wrongAt = db.prepare<[number], Wrong>('select row, answer from dataset_rows where rowid = ?');
  const crowds = crowdsOf(db, datasetId, sideOf);
  for (const right of rights.iterate(datasetId)) {
    const side = sideOf(right.row);
    if (side === null) continue;
    const crowd = crowds(right.prompt_id);
    const wrongs = crowd
      ? partners(crowd, right.prompt_id).map((rowid) => wrongAt.get(rowid))
      : wrongsOf.all(datasetId, right.prompt_id);
    for (const wrong of wrongs)
      if (wrong && sideOf(wrong.row) === side && wrong.answer !== right.answer)
        yield { ...preference(right, wrong), ...(side !== 'rest' && { split: side }) };
  }
}

/** Returns a function that looks up crowded prompts; null for the others. */
function crowdsOf(
  db: Db,
  datasetId: string,
  sideOf: (row: number) => Side | null,
): (promptId: string) => Crowded | null {
  const known = new Map<string, Crowded>();
  const marked = db.prepare<[string, string], { rowid: number; row: number; correct: number }>(`
    select id rowid, row, correct from rows_by_prompt
      where dataset_id = ? and prompt_id = ? and correct is not null order by row`);
  return (promptId) => {
    const before = known.get(promptId);
    if (before) return before;
    const rows = marked.all(datasetId, promptId).filter(({ row }) => sideOf(row) !== null);
    const wrongs = rows.filter(({ correct }) => correct === 0);
    const rights = rows.length - wrongs.length;
    if (rights * wrongs.length <= mostPairsOfPrompt) return null;
    const crowd = {
      rights,
      wrongs: Float64Array.from(wrongs, ({ rowid }) => rowid),
      taken: 0,
    };
    known.set(promptId, crowd);
    return crowd;
  };
}

/** Rowids of the wrong answers paired with the next right answer of a crowded prompt. */
function partners(crowd: Crowded, promptId: string): number[] {
  const { rights, wrongs } = crowd;
  const turn = crowd.taken;
  crowd.taken += 1;
  const count =
    Math.floor(((turn + 1) * mostPairsOfPrompt) / rights) - Math.floor((turn * mostPairsOfPrompt) / rights);
  const begin = Number.parseInt(sha256(`${promptId}/${turn}`).slice(0, 12), 16) % wrongs.length;
  return Array.from(
    { length: count },
    (_none, i) => (begin + Math.floor((i * wrongs.length) / count)) % wrongs.length,
  )
    .sort((x, y) => x - y)
    .map((at) => wrongs[at]);
}

function preference(right: Right, wrong: Wrong): Preference {
  const pairId = `${right.row}-${wrong.row}`;
  const first = Number.parseInt(sha256(pairId)[0], 16) % 2 === 0;
  const [a, b] = first ? [right.answer, wrong.answer] : [wrong.answer, right.answer];
  return {
    pairId,
    promptId: right.prompt_id,
    prompt: right.prompt,
    a,
    b,
    verdict: first ? 'a' : 'b',
    correctA: first,
    correctB: !first,
    ...labelOf(right),
  };
}

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;

/** The weight and the soft label of a right row's pairs; a value that is no share is left out. */
function labelOf({ extra }: Right): Pick<Preference, 'weight' | 'agreement'> {
  if (extra?.includes(`"pair `) !== true) return {};
  const { [pairColumns.weight]: weight, [pairColumns.agreement]: agreement } =
    fromJson<Record<string, unknown>>(extra);
  return { ...(isShare(weight) && { weight }), ...(isShare(agreement) && { agreement }) };
}
