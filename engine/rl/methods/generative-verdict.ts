import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

const verdict = z.string().min(1).max(20);

/**
 * A generative verifier: next-token prediction of a verdict after the answer, whose probability is the
 * reward (section 3.1).
 */
export const generativeVerdict = defineMethod({
  id: 'generative-verdict',
  title: 'Generative verifier',
  summary:
    'Trains a model to write a verdict after an answer; the probability of that word is then a reward.',
  cites: 'arXiv:2408.15240',
  task: 'answers',
  produces: 'reward',
  params: z
    .strictObject({
      right: verdict.default('Yes').describe('The verdict after a right answer.'),
      wrong: verdict.default('No').describe('The verdict after a wrong answer.'),
    })
    .refine(({ right, wrong }) => right !== wrong, {
      message: 'must differ from what is written behind a right answer',
      path: ['wrong'],
    }),
  suggested: linearRate(1e-3, { steps: 200, batch: 64 }),
  head: 'next-token',
  texts: (p) => [p.right, p.wrong],
  judgeOutput: (p) => ({ kind: 'verdict', right: p.right, wrong: p.wrong, how: 'first', caution: 1 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 80, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.answers, part.scoreOrLabel(task.reward), part.writeVerdict(p)),
      objective: part.likelihood({ average: 'sequence' }),
    }),
});
