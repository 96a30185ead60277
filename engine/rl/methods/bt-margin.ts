import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Bradley–Terry whose chosen answer must be better by a margin (eq. 2). */
export const btMargin = defineMethod({
  id: 'bt-margin',
  title: 'Reward model with a margin',
  summary:
    'Learns a score from preferences; where a label is sure, the preferred answer must be better by a margin.',
  cites: 'arXiv:2307.09288',
  task: 'preferences',
  produces: 'reward',
  params: z.strictObject({
    margin: z
      .number()
      .min(0)
      .max(20)
      .default(1)
      .describe(
        'How much better the preferred answer of a sure pair must score; pairs judged equal have none.',
      ),
    byStrength: z
      .boolean()
      .default(false)
      .describe(
        'Scale the margin by the strength of each label: a third for slightly better, two thirds for better, ' +
          'all of it for much better.',
      ),
  }),
  suggested: linearRate(1e-3, { steps: 100, batch: 64 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'loss',
    atMost: 0.35,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) => train({ rows: pipe(task.pairs), objective: part.marginEntropy(p) }),
});
