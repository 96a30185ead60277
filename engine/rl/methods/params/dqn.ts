import * as z from 'zod';
import { range } from '../../kernel/shared.ts';

export const dqnParams = z.strictObject({
  copies: z.int().min(1).max(1024).default(1).describe('Copies of the world that are acted in at once.'),
  drawn: z.int().min(1).max(65_536).default(128).describe('Stored steps that an update learns from.'),
  capacity: z.int().min(1).max(1_000_000).default(10_000).describe('Stored steps: the newest.'),
  warmup: z
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('Batches of steps, with actions at random, before the first update.'),
  gamma: range.fraction.default(0.99).describe('Discount of later rewards.'),
  targetEvery: z.int().min(1).max(1_000_000).default(50).describe('Updates between two target networks.'),
  double: z
    .boolean()
    .default(false)
    .describe('The network chooses the next action that its target network values.'),
  loss: z
    .enum(['squared', 'huber'])
    .default('squared')
    .describe('What is averaged of the errors: their squares, or beyond 1 their size.'),
  epsilonFirst: range.fraction.default(1).describe('Share of actions at random at first.'),
  epsilonLast: range.fraction.default(0.05).describe('Share of actions at random in the end.'),
  epsilonUntil: range.fraction.default(0.5).describe('Share of the updates over which it falls.'),
});
