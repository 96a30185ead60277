import { z } from 'zod';
import { defineMethod } from '../kernel/method.ts';
import { sum, weighted } from '../kernel/objective.ts';
import * as part from '../parts/index.ts';
import { coTrain, role, rowsOf } from '../kernel/recipe.ts';
import { pipe } from '../kernel/stage.ts';

/**
 * Policy gradient with a learned baseline; the critic learns from the answers that the policy just learned
 * from.
 */
export const ppo = defineMethod({
  id: 'ppo',
  title: 'Proximal Policy Optimization',
  summary:
    'A critic values every token; tokens that turned out better than it thought become likelier, within a ' +
    'trust region.',
  cites: 'arXiv:1707.06347',
  task: 'verifiable',
  produces: 'policy',
  params: z.strictObject({
    clip: z.number().positive().max(1).default(0.2).describe('Trust region on the probability ratio.'),
    valueClip: z.number().positive().max(100).default(0.2).describe('How far a value may move in one batch.'),
    gamma: z.number().min(0).max(1).default(1).describe('Discount of later rewards.'),
    lambda: z
      .number()
      .min(0)
      .max(1)
      .default(0.95)
      .describe('Between one step (0) and the whole answer (1) of what a token led to.'),
    whiten: z.boolean().default(true).describe('Advantages of a batch with mean 0 and deviation 1.'),
    klWeight: z
      .number()
      .min(0)
      .max(100)
      .default(0.01)
      .describe('What diverging from the initial policy costs at each token, as a part of the reward.'),
    entropyWeight: z
      .number()
      .min(0)
      .max(10)
      .default(0.01)
      .describe('Weight of the policy’s entropy, which keeps it undecided.'),
    passes: z
      .int()
      .min(1)
      .max(16)
      .default(2)
      .describe('Updates of the policy, and of the critic, on each batch of answers.'),
  }),
  suggested: {
    optimizer: { learningRate: 3e-4, schedule: 'constant', warmup: 5 },
    budget: { steps: 200, batch: 128 },
  },
  sanity: {
    world: 'toy/copy',
    metric: 'reward/mean',
    atLeast: 0.8,
    run: { optimizer: { learningRate: 5e-3 }, budget: { steps: 160, batch: 128 } },
  },
  recipe: (p, task) =>
    coTrain({
      buffers: { rollouts: rowsOf('policy', { fresh: true }) },
      roles: {
        policy: role({
          rows: pipe(
            task.prompts,
            part.sampleGroups({ size: 1 }),
            part.score(task.reward),
            part.logpUnder('initial'),
            part.tokenRewards(p),
            part.valuesOf('critic'),
            part.gae(p),
            part.whiten({ on: p.whiten }),
          ),
          objective: sum(
            part.clippedSurrogate({ low: p.clip, high: p.clip, average: 'token' }),
            weighted(p.entropyWeight, part.entropyBonus),
          ),
          passes: p.passes,
        }),
        critic: role({
          rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'values', 'returns'])),
          objective: part.clippedValue({ clip: p.valueClip }),
          head: { kind: 'reward' },
          passes: p.passes,
        }),
      },
      schedule: [{ turns: { policy: 1, critic: 1 } }],
    }),
});
