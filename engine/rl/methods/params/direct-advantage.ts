import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const directAdvantageParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  step: shared.step.default('line'),
  beta: range.positive.default(0.1).describe('How closely to stay to the policy that wrote the answers.'),
  writer: z
    .enum(['initial', 'policy'])
    .default('initial')
    .describe('The sampling and reference policy: the initial policy, or the current policy at each batch.'),
  lambda: range.fraction
    .default(0)
    .describe('Between the critic’s value of what follows a step (0) and the final outcome (1).'),
  criticWarmup: range.updates
    .default(60)
    .describe(
      'Batches that the critic trains on before the policy begins; its updates are steps of the run.',
    ),
  criticEpochs: z.int().min(1).max(64).default(4).describe('Updates of the critic on each batch of answers.'),
  epochs: z.int().min(1).max(64).default(2).describe('Updates of the policy on each batch of answers.'),
});
