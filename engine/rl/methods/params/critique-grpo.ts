import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const critiqueGrpoParams = z.strictObject({
  groupSize: shared.groupSize.default(7),
  clip: shared.clip.default(0.2),
  gamma: range.positive.default(0.1).describe('γ of the weight p ⁄ (p + γ) of a revision’s token.'),
  scaleBy: shared.scaleBy.default('none'),
  average: shared.average.default('sequence'),
  shown: templates.shown.default('{prompt}{attempts}'),
  attempt: templates.attempt.default('{attempt}:{verdict};'),
  right: z.string().max(400).default('right').describe('{verdict} of a right answer.'),
  wrong: z.string().max(400).default('wrong').describe('{verdict} of a wrong answer.'),
});
