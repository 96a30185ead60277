import * as z from 'zod';
import { range } from '../../kernel/shared.ts';

export const sacParams = z.strictObject({
  copies: z.int().min(1).max(1024).default(1).describe('Copies of the world that are acted in at once.'),
  drawn: z.int().min(1).max(65_536).default(256).describe('Stored steps that an update learns from.'),
  capacity: z.int().min(1).max(1_000_000).default(1_000_000).describe('Stored steps: the newest.'),
  warmup: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('Batches of steps, with actions at random, before the first update.'),
  gamma: range.fraction.default(0.99).describe('Discount of later rewards.'),
  averaging: range.fraction
    .default(0.995)
    .describe('Share that the target network keeps of itself in an update.'),
  entropy: z
    .number()
    .min(-10)
    .max(2)
    .default(-1)
    .describe('Entropy that the policy keeps for each number of an action, in nats.'),
});
