import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Process-supervised reward model: a probability for each worked line, read at the line's last token (section
 * 2.6).
 */
export const processVerifier = defineMethod({
  id: 'process-verifier',
  title: 'Process verifier',
  summary: 'Learns to tell right steps from wrong ones, line by line; an answer is as good as its steps.',
  cites: 'arXiv:2305.20050',
  task: 'answers',
  produces: 'reward',
  params: z.strictObject({
    combine: z
      .enum(['product', 'min', 'last', 'mean'])
      .default('product')
      .describe('How the probabilities of the steps become the answer’s.'),
  }),
  suggested: linearRate(1e-3, { steps: 400, batch: 64 }),
  judgeOutput: (p) => ({ kind: 'steps', how: p.combine, caution: 1 }),
  sanity: {
    world: 'toy/steps',
    metric: 'eval/steps/auc',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 6e-3 }, budget: { steps: 250, batch: 32 } },
  },
  recipe: (_, task) => train({ rows: pipe(task.steps), objective: part.stepEntropy }),
});
