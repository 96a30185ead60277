import * as z from 'zod';
import { templates } from '../../parts/math/templates.ts';

export const searchRoundsParams = z.strictObject({
  groupSize: z.int().min(1).max(64).default(3).describe('Answers to a problem in each round.'),
  rounds: z.int().min(1).max(16).default(4).describe('Rounds; the first one shows nothing.'),
  shows: z.int().min(1).max(64).default(3).describe('Earlier answers that a prompt shows.'),
  selector: z
    .enum(['none', 'rewards', 'verifier'])
    .default('none')
    .describe(
      'Which: those of the round before, or the best so far by the run’s rewards or by the verifier.',
    ),
  swapped: z
    .boolean()
    .default(false)
    .describe('A control: prompts show answers to another prompt of the batch, not their own.'),
  beside: z
    .boolean()
    .default(false)
    .describe('Also as many plain answers as all rounds give, to compare with best-of-n.'),
  shown: templates.shown.default('{prompt}{attempts}'),
  attempt: templates.attempt.default('{attempt};'),
});
