import { TEXT_WIDTH, textFeatures } from '../../../engine/index.ts';
import type { QueryRow } from '../../../preload/contract/rows.ts';

/** Pages of rows, as a query returns them. */
export type RowPages = AsyncIterable<readonly QueryRow[]> | Iterable<readonly QueryRow[]>;

/** Features of the texts of rows, N × TEXT_WIDTH, and the rows' numbers. */
export async function featuresOf(
  pages: RowPages,
  report: (done: number) => void,
): Promise<{ readonly rows: readonly number[]; readonly values: Float64Array }> {
  const rows: number[] = [];
  const features: Float64Array[] = [];
  for await (const page of pages) {
    features.push(textFeatures(page).values);
    for (const { row } of page) rows.push(row);
    report(rows.length);
  }
  const values = new Float64Array(rows.length * TEXT_WIDTH);
  let at = 0;
  for (const own of features) {
    values.set(own, at);
    at += own.length;
  }
  return { rows, values };
}
