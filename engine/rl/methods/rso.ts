import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { train } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { rsoParams } from './params/rso.ts';

/**
 * Preference pairs from the policy that DPO would converge to: answers of the initial policy,
 * rejection-sampled by reward until they follow its optimum.
 */
export const rso = defineMethod({
  id: 'rso',
  title: 'Statistical Rejection Sampling Optimization',
  summary:
    'Samples the initial policy, keeps answers by rejection sampling on their rewards, ranks them in ' +
    'pairs and learns from those.',
  cites: 'arXiv:2309.06657',
  task: 'verifiable',
  produces: 'policy',
  params: rsoParams,
  suggested: constantRate(1e-4, { steps: 150, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.3,
    params: { beta: 1, temperature: 0.3 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 60, batch: 24 } },
  },
  optimum: (world, p) =>
    p.loss === 'logistic' ? world.fixedPoint({ divergence: 'policy-to-reference', weight: 0 }) : undefined,
  recipe: (p, task) =>
    train({
      rows: pipe(
        task.prompts,
        part.sampleInitialGroups({ groupSize: p.candidates }),
        part.score(task.reward),
        part.rejectionSample({ count: p.kept, beta: p.temperature }),
        part.rankedPairs(p),
        part.asPairs,
        part.logpUnder('initial'),
      ),
      objective: part.ratioMargin({ beta: p.beta, loss: part.pairLosses[p.loss] }),
    }),
});
