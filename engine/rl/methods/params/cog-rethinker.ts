import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const cogRethinkerParams = z.strictObject({
  groupSize: shared.groupSize.default(4),
  clip: shared.clip.default(0.2),
  imitate: range.weight.default(0.5).describe('Weight of the likelihood of rescued answers.'),
  scaleBy: shared.scaleBy.default('sample'),
  average: shared.average.default('sequence'),
  parts: templates.shown
    .default('parts:{prompt}')
    .describe('The prompt of the first fallback, which asks for the parts of the problem: {prompt}.'),
  shown: templates.shown
    .default('{prompt}{attempts}')
    .describe('The prompt of the second: {prompt}, {attempts}.'),
  attempt: templates.attempt.default('{attempt};'),
});
