import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { constantRate } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { oprlParams } from './params/oprl.ts';

/** Columns of the policy’s answers that the judge reads. */
const judged = ['tokens', 'mask', 'groupId', 'weight', 'reward/total', 'logp/initial'] as const;

/**
 * A judge trained by DPO on whole answers; its log-ratio on a step is the step's reward, and the policy is
 * credited with both.
 */
export const oprl = defineMethod({
  id: 'oprl',
  title: 'Online Process Reward Learning',
  summary:
    'A judge trains along with the policy on its better and worse answers; its reward of each ' +
    'step is added to the credit of the outcome.',
  cites: 'arXiv:2509.19199',
  task: 'verifiable',
  produces: 'policy',
  params: oprlParams,
  suggested: constantRate(5e-4, { steps: 160, batch: 32 }),
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.7,
    params: { step: 'token' },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 200, batch: 24 } },
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
            part.centerByGroup({ scaleBy: 'sample' }),
            part.logpUnder('initial'),
            part.stepCredit({ by: 'judge', ...p }),
          ),
          objective: part.clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip }),
        }),
        judge: role({
          rows: pipe(part.rowsFrom('rollouts', judged), part.bestAgainstWorst, part.asPairs),
          objective: part.logisticMargin({ beta: p.beta }),
        }),
      },
      schedule: [{ turns: { policy: 1, judge: 1 } }],
    }),
});
