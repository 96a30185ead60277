import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

export const satoriParams = ppoParams
  .pick({ clip: true, lambda: true, entropyWeight: true, epochs: true })
  .extend({
    good: range.fraction.default(0.25).describe('Share of a batch that begins inside a right own answer.'),
    bad: range.fraction.default(0.25).describe('Share of a batch that begins inside a wrong own answer.'),
    depth: z.int().min(1).max(64).default(2).describe('Most steps by which such an answer is cut back.'),
    step: shared.step.default('line'),
    reflect: z
      .string()
      .max(40)
      .default('')
      .describe('Text behind such a beginning, which asks to look again; it belongs to the answer.'),
    bonus: range.weight
      .default(0.5)
      .describe('Reward for repairing a bad beginning, and cost of spoiling a good one.'),
    right: z
      .number()
      .default(0.5)
      .describe('Reward above which an answer is right: ½ for a verifier, 1 with a probability added to it.'),
    refresh: range.fraction
      .default(0.25)
      .describe(
        'Share of the run in which own answers join the start states; later ones are nearly all right.',
      ),
  });
