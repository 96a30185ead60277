import type { ReplayContents } from '../../schema/replay.ts';
import type { Table } from './rows.ts';

/** Most bins of ages, and of weights. */
const [AGES, WEIGHTS] = [12, 12];

/**
 * Rows of a buffer by age and weight (`row/version`, `row/priority`), at most 12 × 12 counts: ages in batches
 * at batch `draw`, in bins of whole batches, weights in bins of equal ratio. Null for a buffer
 * without weights, or without a row. `effective` is (Σw)² ⁄ (n·Σw²). Costs two passes over the rows.
 */
export const replayContents = (
  { 'row/version': versions, 'row/priority': weights }: Table,
  draw: number,
): Omit<ReplayContents, 'step' | 'buffer'> | null => {
  if (!(versions instanceof Float64Array && weights instanceof Float64Array)) return null;
  const rows = versions.length;
  if (rows === 0) return null;
  const ages = wholeBins(...bounds(rows, (r) => draw - versions[r]));
  const logs = evenBins(...bounds(rows, (r) => (isWeight(weights[r]) ? Math.log(weights[r]) : Number.NaN)));
  const counts = Array.from({ length: logs.length - 1 }, () => new Array<number>(ages.length - 1).fill(0));
  let [n, sum, squares] = [0, 0, 0];
  for (let r = 0; r < rows; r++) {
    const weight = weights[r];
    if (!isWeight(weight)) continue;
    counts[binOf(logs, Math.log(weight))][binOf(ages, draw - versions[r])]++;
    n++;
    sum += weight;
    squares += weight * weight;
  }
  const effective = n > 0 ? sum ** 2 / (n * squares) : 0;
  return { rows, effective, ages, weights: logs.map(Math.exp), counts };
};

const isWeight = (weight: number): boolean => weight > 0 && Number.isFinite(weight);

/** Least and greatest of the numbers; 0 and 0 without one. */
const bounds = (rows: number, at: (r: number) => number): [number, number] => {
  let [least, greatest] = [Infinity, -Infinity];
  for (let r = 0; r < rows; r++) {
    const value = at(r);
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least <= greatest ? [least, greatest] : [0, 0];
};

/** Ends of bins of whole numbers, each as wide as the others but for the last. */
const wholeBins = (least: number, greatest: number): number[] => {
  const width = Math.ceil((greatest - least + 1) / AGES);
  const bins = Math.ceil((greatest - least + 1) / width);
  return Array.from({ length: bins + 1 }, (_none, at) => Math.min(least + at * width, greatest + 1));
};

/** Ends of bins of equal width; one bin of no width where all numbers are alike. */
const evenBins = (least: number, greatest: number): number[] => {
  const bins = greatest - least > 1e-9 ? WEIGHTS : 1;
  return Array.from({ length: bins + 1 }, (_none, at) => least + (at * (greatest - least)) / bins);
};

/** The bin of a value within ones as wide as the first; the last one holds its upper end. */
const binOf = (ends: readonly number[], value: number): number => {
  const width = ends[1] - ends[0];
  return width > 0 ? Math.max(0, Math.min(ends.length - 2, Math.floor((value - ends[0]) / width))) : 0;
};
