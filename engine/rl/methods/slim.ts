import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { slimParams } from './params/slim.ts';

/** One value per reward: each reward is judged by its own critic, and their normalized advantages are added. */
export const slim = defineMethod({
  id: 'slim',
  title: 'A critic per reward (SLIM)',
  summary:
    'A critic with one output for each scorer of the run: advantages are normalized scorer by scorer before ' +
    'they are added, so that no reward drowns the others by its scale.',
  cites: 'arXiv:2402.00823',
  task: 'verifiable',
  produces: 'policy',
  params: slimParams,
  suggested: constantRate(4e-4, { steps: 160, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 160, batch: 16 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups(p),
            part.scoreApart(task.reward),
            part.advantagesApart(task.reward, { by: 'critic', ...p }),
          ),
          objective: sum(
            part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
            weighted(p.entropyWeight, part.entropyBonus),
          ),
          epochs: p.epochs,
        }),
        critic: role({
          head: { kind: 'reward', labels: part.attributeCount(task.reward) },
          rows: pipe(
            part.rowsFrom('rollouts', ['prompt', 'weight', ...part.attributeNames(task.reward)]),
            part.promptsAsRows,
          ),
          objective: part.attributeError(task.reward),
          epochs: p.criticEpochs,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
