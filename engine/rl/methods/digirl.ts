import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { digirlParams } from './params/digirl.ts';

/** Filtered imitation: a critic chooses the answers that were news, and their turns that made progress. */
export const digirl = defineMethod({
  id: 'digirl',
  title: 'Doubly robust filtered imitation (DigiRL)',
  summary:
    'A critic predicts success before each turn; the policy imitates turns that did better than expected, of ' +
    'answers that did better than their prompt promised.',
  cites: 'arXiv:2406.11896',
  task: 'verifiable',
  produces: 'policy',
  params: digirlParams,
  suggested: constantRate(5e-4, { steps: 300, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.7,
    params: { step: 'token' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 300, batch: 16 } },
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
            part.stepEnds(p),
            part.valuesOf('critic'),
            part.turnsAboveBar(p),
            part.onlySurprising(p),
          ),
          objective: part.scoreFunction({ average: 'token' }),
        }),
        critic: critic({
          rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'])),
          objective: part.prefixValue,
          epochs: p.criticEpochs,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
