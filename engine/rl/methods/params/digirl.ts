import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const digirlParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  step: shared.step.default('turn'),
  lambda: range.fraction
    .default(0.9)
    .describe('How fast trust in the outcome falls with the turns still to come: at 1 it counts alone.'),
  bar: z.number().min(-10).max(10).default(1).describe('Least advantage of an imitated turn × turns.'),
  share: z
    .number()
    .min(0.01)
    .max(1)
    .default(0.5)
    .describe('Answers of a batch that are kept: those that exceed most what their prompt promised.'),
  criticEpochs: shared.epochs.default(2).describe('Updates of the critic on each batch of answers.'),
});
