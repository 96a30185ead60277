import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { linearRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** A reward model with several attributes: one label per scorer of the run, by regression (section 3.1). */
export const multiHeadReward = defineMethod({
  id: 'multi-head-reward',
  title: 'Multi-attribute reward model',
  summary: 'Learns each of the run’s scorers as a separate number; their weights are chosen when it is used.',
  cites: 'arXiv:2402.18571',
  task: 'answers',
  produces: 'reward',
  params: z.strictObject({
    combine: z
      .enum(['first', 'mean', 'min'])
      .default('mean')
      .describe('How the attributes become one reward, unless its user says otherwise.'),
  }),
  suggested: linearRate(1e-3, { steps: 200, batch: 64 }),
  judgeOutput: (p) => ({ kind: 'scores', how: p.combine, caution: 1 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { length: 2 },
    metric: 'eval/answers/auc',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (_, task) =>
    train({
      rows: pipe(task.answers, part.attributes(task.reward)),
      objective: part.attributeError(task.reward),
      head: { kind: 'reward', labels: part.attributeCount(task.reward) },
    }),
});
