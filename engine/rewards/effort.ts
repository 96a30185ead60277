import * as z from 'zod';
import { defineReward, lineCount } from './reward.ts';

/**
 * Discounted bonus for more steps: (1 − γ) · Σ_{t < T} γ^t = 1 − γ^T, from 0 towards 1 (RLSP: Ye et al. 2025,
 * arXiv:2502.06773, section 3: an exploration bonus next to the outcome, each with its own weight, so that length
 * alone cannot earn what a right answer earns).
 */
export const effort = defineReward({
  id: 'effort',
  title: 'Effort',
  summary: 'Rewards each further line or token of an answer less than the one before; at most 1.',
  params: z.strictObject({
    unit: z.enum(['lines', 'tokens']).default('lines').describe('A step: a line, or a token.'),
    discount: z
      .number()
      .min(0)
      .max(0.9999)
      .default(0.8)
      .describe('Each further step earns this share of the one before.'),
  }),
  scorer:
    ({ unit, discount }) =>
    (rows) =>
      Float64Array.from(rows, (row) => 1 - discount ** (unit === 'tokens' ? row.tokens : lineCount(row))),
});
