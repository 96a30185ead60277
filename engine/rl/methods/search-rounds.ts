import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { searching } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

const { templates, WORDS } = part;

/**
 * Test-time evolution: each round's prompts show answers of the round before (arXiv:2505.23604, section 3.1).
 */
export const searchRounds = defineMethod({
  id: 'search-rounds',
  title: 'Search: rounds of revision',
  summary:
    'Answers held-out problems in rounds whose prompts show earlier answers, all or the best of them: mean ' +
    'and best score by round and by tokens spent.',
  cites: 'arXiv:2505.23604',
  task: 'prompts',
  produces: 'rows',
  params: z.strictObject({
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
  }),
  suggested: { budget: { steps: 4, batch: 50 }, evaluation: { every: 0, problems: 0 } },
  search: ({ selector }) => ({ kind: 'rounds', selector }),
  texts: (p) => part.textsOf(p),
  recipe: (p, task) =>
    searching(
      'rounds',
      pipe(
        task.heldout,
        part.sampleAttempts(task.scores, {
          first: p.groupSize,
          rounds: p.rounds - 1,
          next: part.showBest({
            template: { ...p, ...WORDS },
            answers: p.groupSize,
            most: p.shows,
            by: p.selector === 'none' ? undefined : part.scoreBy[p.selector],
          }),
          reasons: p.attempt.includes('{reason}'),
          swapped: p.swapped,
          beside: p.beside ? p.groupSize * (p.rounds - 1) : 0,
        }),
      ),
    ),
});
