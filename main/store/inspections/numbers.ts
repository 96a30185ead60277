import type { Db } from '../database.ts';
import type { Sliced } from '../slices.ts';
import type { Inspection } from './inspection.ts';

/** Columns of numbers, as the table has them and as they are named elsewhere. */
const columns = {
  chosenScore: 'chosen_score',
  rejectedScore: 'rejected_score',
  odds: 'odds',
  chosenTokens: 'chosen_tokens',
  rejectedTokens: 'rejected_tokens',
  chosenCorrect: 'chosen_correct',
  rejectedCorrect: 'rejected_correct',
  verdict: 'verdict',
  weight: 'weight',
  strength: 'strength',
  promptNumber: 'prompt_number',
  chosenNumber: 'chosen_number',
  rejectedNumber: 'rejected_number',
} as const;
type Column = keyof typeof columns;
const names = Object.keys(columns) as Column[];

/** The numbers of all pairs, each a column in the order of the pairs; NaN where a value is unknown. */
export type StoredNumbers = Readonly<Record<Column, Float64Array>> & { readonly size: number };

/** Pairs read in one slice. */
const some = 1000;

/** Reads the numbers of an inspection's pairs. */
export function* numbersOf(db: Db, runId: string, { attempt, pairs }: Inspection): Sliced<StoredNumbers> {
  const read = db
    .prepare<[string, number, number, number], (number | null)[]>(
      `select position, ${Object.values(columns).join(', ')} from inspected_pairs
        where run_id = ? and attempt = ? and position >= ? and position < ?`,
    )
    .raw();
  const arrays = names.map(() => new Float64Array(pairs).fill(Number.NaN));
  for (let from = 0; from < pairs; from += some, yield)
    for (const [position, ...values] of read.iterate(runId, attempt, from, from + some))
      values.forEach((value, at) => {
        if (value !== null) arrays[at][position ?? 0] = value;
      });
  const found = Object.fromEntries(names.map((name, at) => [name, arrays[at]])) as Record<
    Column,
    Float64Array
  >;
  return { ...found, size: pairs };
}
