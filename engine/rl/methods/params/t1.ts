import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { exactKinds } from '../../parts/index.ts';

export const t1Params = z.strictObject({
  groupSize: shared.groupSize.default(16),
  clip: shared.clip.default(0.2),
  klWeight: range.weight.default(0.01).describe('Weight of the divergence from the average of the policy.'),
  divergence: z
    .enum(['k3', ...exactKinds])
    .default('k3')
    .describe(
      'Estimated from the sampled tokens (k3), or exact over the vocabulary, in one direction or both.',
    ),
  decay: z
    .number()
    .min(0)
    .max(0.99999)
    .default(0.95)
    .describe('Share of the average that is kept at each update; 0 follows at once.'),
  entropyWeight: z.number().min(0).max(10).default(0.001).describe('Weight of the policy’s entropy bonus.'),
  overlong: range.fraction
    .default(0)
    .describe('Share of the maximum length at its end, where answers are penalized; 0 penalizes none.'),
  scaleBy: shared.scaleBy.default('sample'),
  average: shared.average.default('sequence'),
});
