import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * A judge learns by DPO which whole answers are better; how far it has moved on a step is the step's reward,
 * and the policy earns both.
 */
export const oprl = defineMethod({
  id: 'oprl',
  title: 'Online Process Reward Learning',
  summary:
    'Beside the policy a judge learns from its better and worse answers; what the judge thinks of each ' +
    'step is added to the credit of the outcome.',
  cites: 'arXiv:2509.19199',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    size: z.int().min(2).max(256).default(8).describe('Attempts per prompt.'),
    clip: z.number().positive().max(1).default(0.2).describe('Trust region on the probability ratio.'),
    beta: z
      .number()
      .positive()
      .max(100)
      .default(0.1)
      .describe('Scale of the judge’s rewards: how closely it stays to the initial policy.'),
    weight: z
      .number()
      .min(0)
      .max(10)
      .default(0.1)
      .describe('How much the steps’ credit counts beside that of the outcome.'),
    step: z
      .enum(['token', 'line', 'turn'])
      .default('line')
      .describe('What a step is: a token, a line, or a turn between replies of the world.'),
  }),
  suggested: {
    optimizer: { learningRate: 5e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 160, batch: 32 },
  },
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
            part.centerByGroup({ sd: 'sample' }),
            part.logpUnder('initial'),
            part.stepCredit({ by: 'judge', ...p }),
          ),
          objective: part.clippedSurrogate({ low: p.clip, high: p.clip }),
        }),
        judge: role({
          rows: pipe(
            part.rowsFrom('rollouts', [
              'tokens',
              'mask',
              'groupId',
              'weight',
              'reward/total',
              'logp/initial',
            ]),
            part.bestAgainstWorst,
            part.asPairs,
          ),
          objective: part.logisticMargin({ beta: p.beta }),
        }),
      },
      schedule: [{ turns: { policy: 1, judge: 1 } }],
    }),
});
