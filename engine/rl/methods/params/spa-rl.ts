import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const spaRlParams = ppoParams.extend({
  step: shared.step.default('turn'),
  split: range.fraction
    .default(1)
    .describe('Share of the reward that is split among the steps; the rest stays at the end.'),
  warmup: z
    .int()
    .min(0)
    .max(10_000)
    .default(5)
    .describe(
      'Batches on which the estimator learns before the policy does; their updates are steps of the run.',
    ),
  estimatorEpochs: shared.epochs.default(4).describe('Updates of the estimator on each batch of answers.'),
});
