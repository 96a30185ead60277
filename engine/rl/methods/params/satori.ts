import * as z from 'zod';
import { range, shared } from '../../kernel/shared.ts';
import { ppoParams } from './ppo.ts';

/** Fields that a form shows together; those with a `part` are parts of a whole, whose rest is `rest`. */
const starts = { group: 'Start states', rest: 'prompts' };
const bonuses = { group: 'Bonuses' };

export const satoriParams = ppoParams
  .pick({ entropyWeight: true, epochs: true })
  .extend({
    groupSize: z.int().min(1).max(256).default(1).describe('Answers per prompt, and to each beginning.'),
    good: range.fraction
      .default(0.25)
      .describe('Share of a batch that begins inside a right own answer.')
      .meta({ ...starts, part: 'right beginnings' }),
    bad: range.fraction
      .default(0.25)
      .describe('Share of a batch that begins inside a wrong own answer.')
      .meta({ ...starts, part: 'wrong beginnings' }),
    depth: z
      .int()
      .min(1)
      .max(64)
      .default(2)
      .describe('Most steps by which such an answer is cut back.')
      .meta(starts),
    step: shared.step.default('line').meta(starts),
    reflect: z
      .string()
      .max(40)
      .default('')
      .describe('Text behind such a beginning, which asks to look again; it belongs to the answer.')
      .meta(starts),
    refresh: range.fraction
      .default(0.25)
      .describe(
        'Share of the run in which own answers join the start states; later ones are nearly all right.',
      )
      .meta(starts),
    bonus: range.weight
      .default(0.5)
      .describe('Reward for a right end of a wrong beginning: a repair.')
      .meta(bonuses),
    damage: range.weight
      .default(0.5)
      .describe('Cost of a wrong end of a right beginning: a damage.')
      .meta(bonuses),
    right: z
      .number()
      .default(0.5)
      .describe('Reward above which an answer is right: ½ for a verifier, 1 with a probability added to it.')
      .meta(bonuses),
  })
  .refine(({ good, bad }) => good + bad <= 1, {
    message: 'good and bad together exceed the whole batch',
    path: ['bad'],
  });
