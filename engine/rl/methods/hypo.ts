import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { pipe, when } from '../kernel/stage.ts';

/**
 * DPO on stored pairs, with the divergence from the initial policy taken where the policy is now: on fresh
 * answers instead of stored ones.
 */
export const hypo = defineMethod({
  id: 'hypo',
  title: 'Hybrid Preference Optimization',
  summary:
    'DPO on stored pairs, held back by a KL divergence that is measured on fresh answers to the same prompts.',
  cites: 'arXiv:2406.01462',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    beta: z.number().positive().max(100).default(0.1).describe('How closely to stay to the initial policy.'),
    lambda: z.number().min(0).max(100).default(0.01).describe('Weight of the divergence on fresh answers.'),
    smoothing: z
      .number()
      .min(0)
      .max(0.49)
      .default(0)
      .describe('Assumed share of labels that are the wrong way round.'),
    ties: z
      .enum(['drop', 'half'])
      .default('drop')
      .describe('Pairs judged equal: left out, or half a preference for each side.'),
  }),
  suggested: {
    optimizer: { learningRate: 1e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 150, batch: 32 },
  },
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
        part.freshBeside,
        part.logpUnder('initial'),
      ),
      objective: sum(part.logisticMargin(p), weighted(p.lambda, part.freshKl)),
    }),
});
