import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Outcome-supervised reward model: one probability for the whole answer, learned from whether it is right
 * (section 4).
 */
export const outcomeVerifier = defineMethod({
  id: 'outcome-verifier',
  title: 'Outcome verifier',
  summary:
    'Learns to tell right answers from wrong ones; its probability is then a reward, or picks the best of several.',
  cites: 'arXiv:2110.14168',
  task: 'answers',
  produces: 'reward',
  params: z.strictObject({}),
  suggested: linearRate(1e-3, { steps: 200, batch: 64 }),
  judgeOutput: () => ({ kind: 'probability', how: 'first', caution: 1 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { letters: 3, length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (_, task) =>
    train({ rows: pipe(task.answers, part.scoreOrLabel(task.reward)), objective: part.answerEntropy }),
});
