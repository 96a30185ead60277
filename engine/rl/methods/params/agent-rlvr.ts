import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { templates } from '../../parts/math/templates.ts';

export const agentRlvrParams = z.strictObject({
  groupSize: range.answers.default(4).describe('Answers per prompt, and guided ones where those fail.'),
  beta: shared.beta.default(0.1),
  shown: templates.shown
    .default('{prompt}{attempts}{answer};')
    .describe('The prompt with guidance: {prompt}, {attempts} (the failed ones), {answer} (the right one).'),
  attempt: templates.attempt.default('{attempt}:{reason};'),
  right: z.string().max(400).default('right').describe('{verdict} of a right answer.'),
  wrong: z.string().max(400).default('wrong').describe('{verdict} of a wrong answer.'),
});
