import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, replayOf, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { roerParams } from './params/roer.ts';

/** Replays earlier answers in the proportion in which the best policy near the sampler would write them. */
export const roer = defineMethod({
  id: 'roer',
  title: 'Regularized optimal experience replay (ROER)',
  summary:
    'Keeps earlier answers with priorities that follow the exponential of their advantage over a soft value ' +
    'of the prompt, and are updated at each replay.',
  cites: 'arXiv:2407.03995',
  task: 'verifiable',
  produces: 'policy',
  params: roerParams,
  suggested: constantRate(3e-4, { steps: 120, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 120, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { kept: replayOf('policy', p), latest: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.score(task.reward),
            part.centerByGroup({ scaleBy: 'sample' }),
            part.firstPriority({ by: 'even' }),
            part.withReplay({ from: 'kept', share: p.share }),
            part.optimalPriorities(p),
            part.truncatedImportance(p),
          ),
          objective: part.scoreFunction({ average: 'token' }),
        }),
        critic: critic({
          rows: pipe(part.rowsFrom('latest', ['tokens', 'mask', 'weight', 'reward/total'])),
          objective: part.gumbelPromptValue({ beta: p.beta, cap: 5 }),
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
