import * as z from 'zod';
import { defineReward } from './reward.ts';

/**
 * Soft penalty of answers near the maximum length: 0, then falling linearly over the last `buffer` tokens to
 * −1 (DAPO: Yu et al. 2025, arXiv:2503.14476, eq. 13).
 */
export const overlong = defineReward({
  id: 'overlong',
  title: 'Overlong answers',
  summary:
    '0 for answers of ordinary length, falling to −1 near the maximum length: a soft penalty ' +
    'before the cut.',
  params: z.strictObject({
    longest: z
      .int()
      .min(1)
      .max(100_000)
      .default(48)
      .describe('Tokens from which the penalty is −1: the run’s maximum answer length.'),
    buffer: z
      .int()
      .min(1)
      .max(100_000)
      .default(12)
      .describe('Tokens before that over which the penalty grows.'),
  }),
  scorer:
    ({ longest, buffer }) =>
    (rows) =>
      Float64Array.from(rows, ({ tokens }) =>
        Math.min(0, Math.max(-1, (longest - buffer - tokens) / buffer)),
      ),
});
