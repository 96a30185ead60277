import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const ppoParams = z.strictObject({
  clip: shared.clip.default(0.2),
  valueClip: range.positive.default(0.2).describe('How far a value may move in one batch.'),
  gamma: range.fraction.default(1).describe('Discount of later rewards.'),
  lambda: range.fraction
    .default(0.95)
    .describe('Between one step (0) and the whole answer (1) of what a token led to.'),
  whiten: z.boolean().default(true).describe('Advantages of a batch with mean 0 and deviation 1.'),
  klWeight: shared.klPerToken.default(0.01),
  entropyWeight: z.number().min(0).max(10).default(0.01).describe('Weight of the policy’s entropy bonus.'),
  epochs: z
    .int()
    .min(1)
    .max(16)
    .default(2)
    .describe('Updates of the policy, and of the critic, on each batch of answers.'),
});
