import * as z from 'zod';
import { defineMethod } from './define-method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { linearRate, range, shared } from '../kernel/shared.ts';
import { pipe } from '../kernel/stage.ts';
import { nearInitial } from './params/near-initial.ts';

/** Two copies of a policy answer one after the other, earn the sum of their rewards, and swap places. */
export const cory = defineMethod({
  id: 'cory',
  title: 'CORY: pioneer and observer',
  summary:
    'A copy of the policy sees its answer and answers as well; both learn from the sum of their rewards, and ' +
    'swap places.',
  cites: 'arXiv:2410.06101',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    groupSize: shared.groupSize.default(8),
    clip: shared.clip.default(0.2),
    klWeight: shared.klWeight.default(0.01),
    scaleBy: shared.scaleBy.default('sample'),
    swapEvery: range.updates.default(5).describe('Batches after which the two swap places.'),
    cue: z.string().min(1).max(20).default('|').describe('Stands behind the answer that the observer sees.'),
    epochs: shared.epochs.default(1),
  }),
  suggested: linearRate(4e-4, { steps: 160, batch: 32 }),
  texts: (p) => [p.cue],
  sanity: {
    world: 'toy/copy',
    metric: 'evaluation/gold',
    atLeast: 0.8,
    params: { groupSize: 16, klWeight: 0, swapEvery: 100 },
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 140, batch: 12 } },
  },
  recipe: ({ epochs, scaleBy, ...p }, task) => {
    const objective = nearInitial(p);
    const learned = [part.centerByGroup({ scaleBy }), part.logpUnder('initial')] as const;
    const shown = ['problem', 'sample', 'groupId', 'weight', 'reward/total'] as const;
    return coTrain({
      buffers: { played: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.takeTurns({ by: 'partner', ...p }),
            part.scoreTogether(task.reward),
            ...learned,
          ),
          objective,
          epochs,
        }),
        partner: role({ rows: pipe(part.repliesFrom('played', shown), ...learned), objective, epochs }),
      },
      schedule: [{ turns: { policy: 1, partner: 1 } }],
    });
  },
});
