import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { ppoCritic, ppoObjective } from './params/ppo-critic.ts';
import { ppoParams } from './params/ppo.ts';

/** PPO whose answers keep to the nucleus of a copy of the policy that lags behind. */
export const nlpo = defineMethod({
  id: 'nlpo',
  title: 'Natural Language Policy Optimization',
  summary:
    'PPO that draws only tokens which an earlier copy of the policy finds likely; the copy is renewed every ' +
    'so many updates.',
  cites: 'arXiv:2210.01241',
  task: 'verifiable',
  produces: 'policy',
  params: ppoParams.omit({ valueClip: true }).extend({
    topP: z.number().gt(0).max(1).default(0.9).describe('Probability of the nucleus of the lagging copy.'),
    refresh: z.int().min(1).max(10_000).default(20).describe('Updates after which the copy is renewed.'),
  }),
  suggested: constantRate(3e-4, { steps: 200, batch: 128 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 160, batch: 128 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleWithinNucleus(p),
            part.score(task.reward),
            part.logpUnder('initial'),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae(p),
            part.whiten({ on: p.whiten }),
          ),
          objective: ppoObjective(p),
          epochs: p.epochs,
        }),
        critic: ppoCritic({ ...p, valueClip: 0.2 }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
      averaging: { every: p.refresh },
    }),
});
