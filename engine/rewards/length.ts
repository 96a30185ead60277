import * as z from 'zod';
import { defineReward } from './reward.ts';

/** Length in tokens as a reward: per token, or closeness to a target. */
export const length = defineReward({
  id: 'length',
  title: 'Length',
  summary: 'Rewards short or long answers, or answers of a target length.',
  params: z.strictObject({
    kind: z
      .enum(['linear', 'target'])
      .default('linear')
      .describe('linear: tokens ÷ scale. target: 1 at the target, falling to 0 at a distance of one scale.'),
    target: z.number().min(0).max(100_000).default(24).describe('Target length in tokens (kind "target").'),
    scale: z.number().positive().max(100_000).default(24).describe('Tokens that count as one unit.'),
  }),
  scorer:
    ({ kind, target, scale }) =>
    (rows) =>
      Float64Array.from(rows, ({ tokens }) =>
        kind === 'linear' ? tokens / scale : Math.max(0, 1 - Math.abs(tokens - target) / scale),
      ),
});
