import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Expert iteration as expectation–maximisation: E writes and filters with the newest policy, M imitates from
 * the initial one (section 3).
 */
export const restEm = defineMethod({
  id: 'rest-em',
  title: 'Expert iteration (ReST-EM)',
  summary:
    'Writes many answers, keeps all that are good enough, and trains the initial model anew on them; then ' +
    'again with what this made.',
  cites: 'arXiv:2312.06585',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(1).max(256).default(16).describe('Answers per prompt.'),
    threshold: z.number().default(1).describe('Reward from which an answer is imitated.'),
    most: z
      .int()
      .min(1)
      .max(256)
      .default(10)
      .describe('Answers kept of one prompt, so that easy prompts do not crowd out hard ones.'),
    passes: z
      .int()
      .min(1)
      .max(10_000)
      .default(40)
      .describe(
        'Updates of one iteration, on all answers that were kept; each iteration begins with the initial model.',
      ),
    average: z
      .enum(['token', 'sequence'])
      .default('sequence')
      .describe('Whether every token counts the same, or every answer.'),
  }),
  suggested: { optimizer: { learningRate: 1e-3, schedule: 'constant' }, budget: { steps: 160, batch: 128 } },
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.6,
    params: { size: 24, threshold: 0.5, most: 4, passes: 24 },
    run: { optimizer: { learningRate: 1e-2 }, budget: { steps: 192, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.prompts, part.sampleGroups(p), part.score(task.reward), part.keepAbove(p)),
      objective: part.likelihood(p),
      passes: p.passes,
      restarts: true,
    }),
});
