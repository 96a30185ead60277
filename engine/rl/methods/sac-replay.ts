import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { sum } from '../kernel/objective.ts';
import { coTrain, frozen, ringOf, role } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';
import { sac } from './sac.ts';
import { sacReplayParams } from './params/sac-replay.ts';

/** Soft actor-critic that weighs stored steps, from logged ones on; all rules share the other parts. */
export const sacReplay = defineMethod({
  id: 'sac-replay',
  title: 'Soft actor-critic with weighed replay (ROER)',
  summary:
    'Weighs stored steps by how far they exceed a soft value of the state, and may begin with logged ones.',
  cites: 'arXiv:2407.03995; prioritized: arXiv:1511.05952',
  task: 'control',
  produces: 'policy',
  outputs: 'valued-numbers',
  network: { hidden: [256, 256], activation: 'relu' },
  params: sacReplayParams,
  suggested: sac.suggested,
  presets: { uniform: { replay: 'uniform' }, prioritized: { replay: 'prioritized' } },
  sanity: {
    world: 'control/pendulum',
    metric: 'eval/return',
    atLeast: -400,
    hidden: [64, 64],
    params: { copies: 4, drawn: 128, warmup: 100, capacity: 10_000, averaging: 0.98, gamma: 0.95 },
    run: { optimizer: { learningRate: 2e-3 }, budget: { steps: 2000, batch: 4 } },
  },
  recipe: (p, task) => {
    const stored = { from: 'steps', by: p.replay } as const;
    return coTrain({
      roles: {
        policy: role({
          rows: pipe(
            task.moveLater(p),
            part.singleSteps('behaviorLogp', 'credit/earned'),
            part.enterWith(stored),
            part.drawStored({ ...stored, count: p.drawn, after: p.warmup }),
            task.noise,
            part.replayWeights({ ...p, by: p.replay }),
          ),
          objective: sum(
            part.weighedSoftValues({ gamma: p.gamma, threshold: 20 }),
            part.softPolicy,
            part.entropyTarget({ perNumber: -1 }),
            part.softStateValue({ beta: p.beta, rows: p.drawn }),
          ),
        }),
        behavior: frozen(),
      },
      buffers: { steps: ringOf('policy', { capacity: p.capacity, keeps: part.weighedColumns }) },
      schedule: [{ rounds: p.warmup, turns: { policy: 0 } }, { turns: { policy: 1 } }],
      averaging: { decay: p.averaging },
    });
  },
});
