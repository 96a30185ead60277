import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';

export const controlPpoParams = z.strictObject({
  copies: z.int().min(1).max(1024).default(4).describe('Copies of the world that are acted in at once.'),
  epochs: z.int().min(1).max(64).default(4).describe('Times that each step is learned from.'),
  minibatches: z
    .int()
    .min(1)
    .max(256)
    .default(4)
    .describe('Updates in an epoch, each on its share of the steps.'),
  gamma: range.fraction.default(0.99).describe('Discount of later rewards.'),
  lambda: range.fraction
    .default(0.95)
    .describe('Between one step (0) and the whole episode (1) of what a step led to.'),
  clip: shared.clip.default(0.2),
  valueClip: range.positive.default(0.2).describe('How far a value may move in one batch.'),
  valueWeight: range.weight.default(0.5).describe('Weight of the error of values.'),
  entropyWeight: range.weight.default(0.01).describe('Weight of the entropy bonus.'),
  whiten: z.boolean().default(true).describe('Advantages of a batch with mean 0 and deviation 1.'),
  atLimit: z
    .enum(['value', 'nothing'])
    .default('value')
    .describe(
      'What is expected behind an episode that was cut off: the value of its last state, or nothing.',
    ),
});

/** Run settings of CleanRL's `ppo.py`. */
export const controlPpoSuggested = {
  optimizer: {
    learningRate: 2.5e-4,
    schedule: 'linear',
    beta2: 0.999,
    epsilon: 1e-5,
    clipNorm: 0.5,
  },
  budget: { steps: 15_616, batch: 512 },
  evaluation: { problems: 100 },
} as const;

/** A toy run that PPO solves, also with exploration bonuses. */
export const controlPpoSanity = {
  world: 'control/cart-pole',
  metric: 'eval/return',
  atLeast: 100,
  params: { copies: 8 },
  run: { optimizer: { learningRate: 2e-3 }, budget: { steps: 400, batch: 512 } },
} as const;
