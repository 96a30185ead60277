import * as z from 'zod';
import { CreditUnit, InsideAnswer } from '../../engine/schema/inside.ts';
import { call, real } from './define.ts';

/** A run's newest judge, a checkpoint, or an added model. */
export const JudgeFrom = z.strictObject({
  kind: z.enum(['run', 'checkpoint', 'model']),
  id: z.string().min(1),
});
export type JudgeFrom = z.infer<typeof JudgeFrom>;

/** An answer in steps, and the first wrong one by the judge and by labels. */
export const AnswerSteps = z.strictObject({
  prompt: z.string(),
  completion: z.string(),
  /** Scores that decide about steps: of a judge of steps (`head`), else of prefixes. */
  by: z.enum(['head', 'prefix']),
  steps: z.array(
    z.strictObject({
      text: z.string(),
      /** Score of the answer up to the end of this step, as if it ended there; null beyond the context. */
      prefix: real.nullable(),
      /** Probability that a judge of steps gives; null for a judge of another kind. */
      head: real.nullable(),
      /** Deciding score of the step before less that of this one; null for the first step. */
      drop: real.nullable(),
    }),
  ),
  /** A step with a deciding score below it is wrong; null if none is known. */
  threshold: real.nullable(),
  /**
   * Given by the user; of the judge's newest report of ProcessBench, or of the report that was asked about; or one
   * half, for probabilities.
   */
  thresholdBy: z.enum(['chosen', 'report', 'half']).nullable(),
  /** Index of the first wrong step, −1 without one; null without a threshold, or if a step has no score. */
  firstWrong: z.number().nullable(),
  /** Labels of this answer, newest first; `firstWrong`: null for a wrong answer without a step. */
  labels: z.array(
    z.strictObject({ source: z.string(), labeler: z.string(), firstWrong: z.number().nullable() }),
  ),
});
export type AnswerSteps = z.infer<typeof AnswerSteps>;

/** An answer, or an item of a stored report of ProcessBench. */
const StepwiseAnswer = z.union([
  z.strictObject({ prompt: z.string(), completion: z.string().max(200_000) }),
  z.strictObject({ reportId: z.string().min(1), position: z.int().min(0) }),
]);
export type StepwiseAnswer = z.infer<typeof StepwiseAnswer>;

export const inside = {
  /**
   * Scores of the steps of an answer, and the first wrong one as in ProcessBench. An answer with a label of
   * correctness has its steps, others are split as for labels.
   */
  steps: call(
    z.strictObject({ from: JudgeFrom, answer: StepwiseAnswer, threshold: real.optional() }),
    AnswerSteps,
  ),
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
