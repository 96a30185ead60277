import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range, shared } from '../kernel/shared.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * DPO on stored pairs, with the divergence from the initial policy estimated on fresh answers instead of the
 * stored ones.
 */
export const hypo = defineMethod({
  id: 'hypo',
  title: 'Hybrid Preference Optimization',
  summary:
    'DPO on stored pairs, regularized by a KL divergence that is measured on fresh answers to ' +
    'the same prompts.',
  cites: 'arXiv:2406.01462',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: shared.beta.default(0.1),
    lambda: range.weight.default(0.01).describe('Weight of the divergence on fresh answers.'),
    labelSmoothing: shared.labelSmoothing.default(0),
    ties: shared.ties.default('drop'),
  }),
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    metric: 'preference-evaluation/accuracy',
    atLeast: 0.9,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 60, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.pairs,
        when(p.ties === 'drop', part.dropTies),
        part.interleaveFresh,
        part.logpUnder('initial'),
      ),
      objective: sum(part.logisticMargin(p), weighted(p.lambda, part.freshKl)),
    }),
});
