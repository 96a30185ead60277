import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const oprlParams = z.strictObject({
  groupSize: shared.groupSize.default(8),
  clip: shared.clip.default(0.2),
  beta: range.positive
    .default(0.1)
    .describe('Scale of the judge’s rewards: how closely it stays to the initial policy.'),
  weight: z
    .number()
    .min(0)
    .max(10)
    .default(0.1)
    .describe('Weight of the steps’ credit relative to that of the outcome.'),
  step: shared.step.default('line'),
});
