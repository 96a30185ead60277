import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Expert iteration as expectation–maximisation: E samples and filters with the newest policy, M imitates
 * from the initial one (section 3).
 */
export const restEm = defineMethod({
  id: 'rest-em',
  title: 'Expert iteration (ReST-EM)',
  summary:
    'Samples many answers, keeps all that are good enough, and trains the initial model anew on ' +
    'them; then again with the result.',
  cites: 'arXiv:2312.06585',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: z.int().min(1).max(256).default(16).describe('Answers per prompt.'),
    threshold: z.number().default(1).describe('Reward from which an answer is imitated.'),
    maxPerPrompt: z
      .int()
      .min(1)
      .max(256)
      .default(10)
      .describe('Answers kept of one prompt, so that easy prompts do not crowd out hard ones.'),
    epochs: range.updates
      .default(40)
      .describe(
        'Updates of one iteration, on all answers that were kept; each iteration begins with the initial model.',
      ),
    average: shared.counts.default('sequence'),
  }),
  suggested: { optimizer: { learningRate: 1e-3, schedule: 'constant' }, budget: { steps: 160, batch: 128 } },
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.6,
    params: { groupSize: 24, threshold: 0.5, maxPerPrompt: 4, epochs: 24 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 192, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.keepAbove(p)),
      objective: part.likelihood(p),
      epochs: p.epochs,
      restarts: true,
    }),
});
