import { defineMethod } from './define-method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, critic, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { orealParams } from './params/oreal.ts';

/** Imitates a right answer per prompt, and unlearns a wrong one, by tokens that a reward model picks out. */
export const oreal = defineMethod({
  id: 'oreal',
  title: 'Outcome-reward learning with token weights (OREAL)',
  summary:
    'Imitates the best answer of a group and penalizes the worst, token by token as a second model says that ' +
    'learns from outcomes alone.',
  cites: 'arXiv:2502.06781',
  task: 'verifiable',
  produces: 'policy',
  params: orealParams,
  presets: { 'without-token-weights': { even: 1 } },
  suggested: constantRate(4e-4, { steps: 200, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { groupSize: 8, penalty: 0.2, even: 0.5, klWeight: 0 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 240, batch: 32 } },
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
            part.successRate,
            part.dropFlatGroups,
            part.keepExtremes({ kept: 'best-worst', keep: 2 }),
            part.logpUnder('initial'),
            part.scoresBy('judge'),
            part.outcomeCredit(p),
          ),
          objective: sum(
            part.scoreFunction({ average: 'token' }),
            weighted(p.klWeight, part.klToReference({ estimator: 'k3', average: 'token' })),
          ),
          epochs: p.epochs,
        }),
        judge: critic({
          rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'reward/total'])),
          objective: part.meanScoreEntropy,
          epochs: p.judgeEpochs,
        }),
      },
      schedule: [{ turns: { policy: 1, judge: 1 } }],
    }),
});
