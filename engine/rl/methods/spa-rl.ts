import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { ppoCritic, ppoObjective } from './params/ppo-critic.ts';
import { spaRlParams } from './params/spa-rl.ts';

/** PPO whose reward is split among the steps by an estimator that learns with it. */
export const spaRl = defineMethod({
  id: 'spa-rl',
  title: 'Stepwise progress attribution (SPA-RL)',
  summary:
    'An estimator learns contributions of steps that add up to the final reward, and PPO earns each at its ' +
    'step in place of everything at the end.',
  cites: 'arXiv:2505.20732',
  task: 'verifiable',
  produces: 'policy',
  params: spaRlParams,
  suggested: constantRate(3e-4, { steps: 200, batch: 128 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.6,
    params: { step: 'token', warmup: 0, estimatorEpochs: 1 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 330, batch: 64 } },
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
            part.stepEnds(p),
            part.splitReward({ by: 'estimator', share: p.split }),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae(p),
            part.whiten({ on: p.whiten }),
          ),
          objective: ppoObjective(p),
          epochs: p.epochs,
        }),
        critic: ppoCritic(p),
        estimator: critic({
          rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'])),
          objective: part.contributionError,
          epochs: p.estimatorEpochs,
        }),
      },
      schedule: [
        { rounds: p.warmup, turns: { policy: 0, estimator: 1 } },
        { turns: { policy: 1, critic: 1, estimator: 1 } },
      ],
    }),
});
