import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, replayOf, role } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { remixParams } from './params/remix.ts';

/** GRPO on fresh and earlier answers together at first, in the end on fresh ones, close to the previous policy. */
export const remix = defineMethod({
  id: 'remix',
  title: 'Reincarnating mix-policy gradient (ReMix)',
  summary:
    'Trains on earlier answers besides fresh ones, held to the initial and to the previous policy; then goes ' +
    'on with fresh answers alone.',
  cites: 'arXiv:2507.06892',
  task: 'verifiable',
  produces: 'policy',
  params: remixParams,
  suggested: constantRate(3e-4, { steps: 100, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 3e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { kept: replayOf('policy', p) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup(p),
            part.firstPriority({ by: p.drawBy }),
            part.withReplay({ from: 'kept', share: p.share, until: p.until }),
            part.logpUnder('initial'),
            part.logpUnder('policy'),
            part.movingReference({ at: p.until }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
            weighted(p.klWeight * p.toInitial, part.klToReference({ estimator: 'k3', average: 'token' })),
            weighted(p.klWeight * (1 - p.toInitial), part.klToPrevious({ estimator: 'k3' })),
          ),
          epochs: p.epochs,
        }),
      },
      schedule: [{ turns: { policy: 1 } }],
    }),
});
