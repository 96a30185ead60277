/** Contents of a replay buffer. */
import * as z from 'zod';
import { real } from './real.ts';

/** Stored rows of one buffer by age and weight; fields are only ever added, as optional ones. */
export const ReplayContents = z.strictObject({
  step: real,
  buffer: z.string(),
  /** Rows in the buffer; those whose weight is no positive number are in no cell. */
  rows: real,
  /** Effective sample size of all these rows by their weights, as a share of them (Kish). */
  effective: real,
  /** Ends of the bins of ages, in batches since a row was made; a bin holds its lower end. */
  ages: z.array(real),
  /** Ends of the bins of weights, of equal ratio. */
  weights: z.array(real),
  /** Number of rows by bin of weights, then of ages. */
  counts: z.array(z.array(real)),
});
export type ReplayContents = z.infer<typeof ReplayContents>;
