import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, ringOf, role } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { dqnParams } from './params/dqn.ts';

/** Deep Q-learning with the settings of CleanRL's `dqn.py`: 500,000 steps, an update every ten. */
export const dqn = defineMethod({
  id: 'dqn',
  title: 'Deep Q-network',
  summary: 'A network learns values of actions from stored steps, against an earlier copy of itself.',
  cites: 'Mnih et al. 2015, Nature 518; settings of CleanRL, JMLR 23 (274)',
  task: 'control',
  produces: 'policy',
  outputs: 'values',
  network: { hidden: [120, 84], activation: 'relu' },
  params: dqnParams,
  suggested: {
    // the norm of its gradient is not clipped
    optimizer: { learningRate: 2.5e-4, schedule: 'constant', beta2: 0.999, clipNorm: 1e6 },
    budget: { steps: 49_000, batch: 10 },
    evaluation: { problems: 100 },
  },
  presets: { double: { double: true } },
  sanity: {
    world: 'control/cart-pole',
    metric: 'eval/return',
    atLeast: 100,
    params: { copies: 8, warmup: 30, gamma: 0.98, epsilonUntil: 0.8, double: true },
    run: { optimizer: { learningRate: 2e-3 }, budget: { steps: 1600, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      roles: {
        policy: role({
          rows: pipe(
            task.explore(p),
            part.singleSteps('behaviorLogp', 'credit/earned'),
            part.drawUniformly({ from: 'steps', count: p.drawn }),
            part.tdTarget(p),
          ),
          objective: part.tdError(p),
        }),
      },
      buffers: { steps: ringOf('policy', { capacity: p.capacity, keeps: part.transitionColumns }) },
      schedule: [{ rounds: p.warmup, turns: { policy: 0 } }, { turns: { policy: 1 } }],
      averaging: { every: p.targetEvery },
    }),
});
