import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const expoParams = z.strictObject({
  groupSize: shared.groupSize.default(4),
  explanations: z.int().min(1).max(64).default(1).describe('Answers with the right one shown, per prompt.'),
  imitate: range.weight.default(0.5).describe('Weight of the likelihood of those explanations.'),
  threshold: z.number().default(1).describe('Reward from which an explanation is imitated.'),
  clip: shared.clip.default(0.2),
  scaleBy: shared.scaleBy.default('sample'),
  average: shared.average.default('sequence'),
  shown: templates.shown
    .default('{answer};{prompt}')
    .describe('The prompt with the right answer: {answer}, {prompt}.'),
});
