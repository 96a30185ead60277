import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, range } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Gives the chosen answer even if the prompt's embeddings are perturbed towards the rejected one. */
export const targetedLat = defineMethod({
  id: 'targeted-lat',
  title: 'Targeted latent adversarial training',
  summary:
    'Before each update an attack moves the prompt’s embeddings towards the rejected answer; the update ' +
    'learns to give the chosen one all the same.',
  cites: 'arXiv:2407.15549',
  task: 'preferences',
  produces: 'policy',
  params: z.strictObject({
    attackSteps: z.int().min(0).max(32).default(4).describe('Steps of the inner attack; 0 is none.'),
    stepSize: range.positive.default(0.05).describe('Length of a step, as a norm of embeddings.'),
    radius: range.positive.default(0.1).describe('Largest norm of the perturbation of a token.'),
    awayWeight: range.weight.default(1).describe('Weight of avoiding the rejected answer’s tokens.'),
    cleanWeight: range.weight
      .default(1)
      .describe('Weight of the chosen answers’ likelihood without an attack.'),
  }),
  suggested: constantRate(3e-4, { steps: 200, batch: 32 }),
  sanity: {
    world: 'toy/pairs',
    worldParams: { letters: 3, length: 2 },
    metric: 'evaluation/gold',
    atLeast: 0.5,
    params: { attackSteps: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 32 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(task.pairs),
      objective: sum(
        part.latentAdversary(p),
        weighted(p.cleanWeight, part.likelihoodOf({ side: 0, average: 'sequence' })),
      ),
    }),
});
