import { bucket } from './programs.ts';

/** Rows that run together, each padded on the right to T tokens; `rows.length ≤ B`, and the rest of the batch is padding. */
export interface BatchPlan {
  readonly rows: readonly number[];
  readonly B: number;
  readonly T: number;
}

/** Padded lengths: steps of a sixteenth of the next power of two, at least 4, so that at most one place in eight is padding. */
export const paddedLength = (length: number): number => {
  const step = Math.max(4, bucket(length) / 16);
  return Math.ceil(length / step) * step;
};

/**
 * Groups rows by length, longest first, into batches of at most `tokens` places (one row at least). Batch sizes are powers of two: a group
 * that does not fill one is filled up with the next shorter rows where few are missing, and cut where many are. Deterministic in the lengths.
 */
export const planBatches = (lengths: readonly number[], { tokens = 8192, longest = Infinity }: { tokens?: number; longest?: number } = {}): BatchPlan[] => {
  const order = lengths.map((_, row) => row).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const padded = (at: number) => Math.min(paddedLength(lengths[order[at]]), longest);
  const plans: BatchPlan[] = [];
  for (let at = 0; at < order.length;) {
    const T = padded(at), most = 2 ** Math.max(0, Math.floor(Math.log2(tokens / T)));
    let same = 0;
    while (at + same < order.length && same < most && padded(at + same) === T) same++;
    const up = Math.min(bucket(same, 8), most);
    const rows = order.slice(at, at + (up > 8 && up - same > up / 4 ? up / 2 : up));
    plans.push({ rows, B: bucket(rows.length), T });
    at += rows.length;
  }
  return plans;
};
