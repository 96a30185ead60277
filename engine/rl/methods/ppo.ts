import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { ppoCritic, ppoObjective } from './params/ppo-critic.ts';
import { ppoParams } from './params/ppo.ts';

/** Policy gradient with a learned baseline; the critic trains on the same answers as the policy. */
export const ppo = defineMethod({
  id: 'ppo',
  title: 'Proximal Policy Optimization',
  summary:
    'A critic values every token; tokens that turned out better than its value become likelier, ' +
    'within a trust region.',
  cites: 'arXiv:1707.06347',
  task: 'verifiable',
  produces: 'policy',
  params: ppoParams,
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
            part.sampleGroups({ groupSize: 1 }),
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
        critic: ppoCritic(p),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
