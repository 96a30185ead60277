import * as z from 'zod';
import { range } from '../../kernel/shared.ts';
import { sacParams } from './sac.ts';

const { copies, drawn, capacity, gamma, averaging } = sacParams.shape;

export const sacReplayParams = z.strictObject({
  copies,
  drawn,
  capacity,
  warmup: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('Batches of steps of others, before the first update.'),
  logged: range.fraction
    .default(0)
    .describe('Share of their actions that the role behavior draws; the others are at random.'),
  offline: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Updates on those steps alone, before the policy acts.'),
  gamma,
  averaging,
  replay: z
    .enum(['uniform', 'regularized', 'prioritized'])
    .default('regularized')
    .describe('How stored steps are drawn and weighed: alike, by regularized RL, or by their errors.'),
  beta: range.positive.default(1).describe('Temperature of the weights and of the value of a state.'),
  rate: range.fraction.default(0.01).describe('How far one draw moves a weight.'),
  bound: z.number().min(1).max(1000).default(50).describe('Greatest ratio that moves a weight.'),
});
