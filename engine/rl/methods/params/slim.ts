import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const slimParams = z.strictObject({
  groupSize: shared.groupSize.default(4),
  counts: z
    .enum(['alike', 'weight'])
    .default('alike')
    .describe('Each reward counts the same, with the sign of its weight, or by its weight.'),
  clip: shared.clip.default(0.2),
  entropyWeight: range.weight.default(0.01).describe('Weight of the policy’s entropy bonus.'),
  epochs: shared.epochs.default(2),
  criticEpochs: shared.epochs.default(4).describe('Updates of the critic on each batch of answers.'),
});
