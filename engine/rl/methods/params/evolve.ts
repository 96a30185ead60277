import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const evolveParams = z.strictObject({
  groupSize: range.answers.default(4).describe('Answers per prompt, and refinements of one of them.'),
  beta: shared.beta.default(0.1),
  sftWeight: shared.sftWeight.default(0.2),
  shown: templates.shown.default('{prompt}{attempts}'),
  attempt: templates.attempt.default('{attempt};'),
});
