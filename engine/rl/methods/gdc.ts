import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';

/** Forward KL to the same target that KL-regularized policy gradients approach by the reverse one. */
export const gdc = defineMethod({
  id: 'gdc',
  title: 'Distributional policy gradient (GDC)',
  summary:
    'Takes the best policy under a KL penalty as a target distribution, and fits the policy to it by the ' +
    'forward divergence.',
  cites: 'arXiv:2205.11275',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(16),
    beta: shared.beta.default(0.2),
  }),
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  optimum: (world, p) => world.fixedPoint({ divergence: 'policy-to-reference', weight: p.beta }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { groupSize: 8, beta: 0.05 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 100, batch: 16 } },
  },
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleGroups(p),
        part.score(task.reward),
        part.logpUnder('initial'),
        part.targetWeights(p),
      ),
      objective: part.scoreFunction(),
    }),
});
