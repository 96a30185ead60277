import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { sum } from '../kernel/objective.ts';
import { coTrain, ringOf, role } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { sacParams } from './params/sac.ts';

/** Soft actor-critic with a learned weight of entropy: actor, critics and weight learn in one update. */
export const sac = defineMethod({
  id: 'sac',
  title: 'Soft actor-critic',
  summary:
    'Actions are numbers: two critics learn from stored steps, and the policy follows the smaller, with entropy.',
  cites: 'arXiv:1812.05905; batches and warm-up of CleanRL, JMLR 23 (274)',
  task: 'control',
  produces: 'policy',
  outputs: 'numbers',
  network: { hidden: [256, 256], activation: 'relu' },
  params: sacParams,
  suggested: {
    // the norm of its gradient is not clipped
    optimizer: { learningRate: 3e-4, schedule: 'constant', beta2: 0.999, clipNorm: 1e6 },
    budget: { steps: 20_000, batch: 1 },
    evaluation: { problems: 100 },
  },
  sanity: {
    world: 'control/pendulum',
    metric: 'eval/return',
    atLeast: -400,
    hidden: [64, 64],
    params: { copies: 4, drawn: 128, warmup: 100, capacity: 10_000, averaging: 0.98, gamma: 0.95 },
    run: { optimizer: { learningRate: 2e-3 }, budget: { steps: 2000, batch: 4 } },
  },
  recipe: (p, task) =>
    coTrain({
      roles: {
        policy: role({
          rows: pipe(
            task.move(p),
            part.singleSteps('behaviorLogp', 'credit/earned'),
            part.drawUniformly({ from: 'steps', count: p.drawn }),
            task.noise,
          ),
          objective: sum(part.softValues(p), part.softPolicy, part.entropyTarget({ perNumber: p.entropy })),
        }),
      },
      buffers: { steps: ringOf('policy', { capacity: p.capacity, keeps: part.transitionColumns }) },
      schedule: [{ rounds: p.warmup, turns: { policy: 0 } }, { turns: { policy: 1 } }],
      averaging: { decay: p.averaging },
    }),
});
