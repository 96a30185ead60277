import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Policy valuation without policy improvement: the values of the uniform random policy are enough to choose
 * by, and keep every right way open.
 */
export const rover = defineMethod({
  id: 'rover',
  title: 'Random Policy Valuation (ROVER)',
  summary: 'Learns the value of each next token under a uniform policy, and samples in proportion to it.',
  cites: 'arXiv:2509.24981',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    rho: range.positive
      .default(1)
      .describe('Temperature of values: the higher, the slower the policy moves.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.centerByGroup({ scaleBy: 'none' }),
        part.meanLogpUnder('policy'),
      ),
      objective: part.uniformValuation(p),
      epochs: p.epochs,
    }),
});
