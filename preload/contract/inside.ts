import * as z from 'zod';
import { CreditUnit, InsideAnswer } from '../../engine/schema/inside.ts';
import { call } from './define.ts';

/** A run's newest judge, a checkpoint, or an added model. */
export const JudgeFrom = z.strictObject({
  kind: z.enum(['run', 'checkpoint', 'model']),
  id: z.string().min(1),
});
export type JudgeFrom = z.infer<typeof JudgeFrom>;

export const inside = {
  /**
   * Credit of the parts of an answer for its score, with the effect of deleting each. Without `unit` the finest
   * parts of which there are at most 160.
   */
  answer: call(
    z.strictObject({
      from: JudgeFrom,
      prompt: z.string(),
      completion: z.string().max(200_000),
      unit: CreditUnit.optional(),
    }),
    InsideAnswer,
  ),
};
