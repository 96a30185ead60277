import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { pfPpoParams } from './params/pf-ppo.ts';
import { ppoCritic, ppoObjective } from './params/ppo-critic.ts';

/** PPO on the answers of each group whose rewards are most trustworthy: the best and the worst. */
export const pfPpo = defineMethod({
  id: 'pf-ppo',
  title: 'Policy Filtration for PPO',
  summary:
    'Samples several answers to each prompt and trains PPO on those with extreme rewards, where a reward ' +
    'model errs least.',
  cites: 'arXiv:2409.06957',
  task: 'verifiable',
  produces: 'policy',
  params: pfPpoParams,
  presets: { 'best-of-n': { kept: 'best' }, 'best-random': { kept: 'best-random' } },
  suggested: constantRate(3e-4, { steps: 200, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    params: { groupSize: 4, keep: 2 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 160, batch: 32 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.keepExtremes(p),
            part.logpUnder('initial'),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae({ gamma: 1, lambda: p.lambda }),
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
