import * as z from 'zod';
import { endMarks, startKinds } from '../wire/start-kinds.ts';
import { call, float64s } from './define.ts';

/**
 * Answers by where they began and how they ended: a row for each kind of start, in the order of both lists.
 */
const Matrix = z.array(z.array(z.number()).length(endMarks.length)).length(startKinds.length);

export const StartStates = z.strictObject({
  /** Of the purposes that some answer has. */
  matrices: z.array(z.strictObject({ purpose: z.enum(['train', 'evaluation', 'sample']), answers: Matrix })),
  /** Training answers in windows of consecutive steps, the oldest first. */
  windows: z.strictObject({
    /** Last step of each window. */
    steps: float64s,
    answers: z.array(Matrix),
  }),
  /** Training answers by the lines of the earlier answer that they were cut back by, the fewest first. */
  depths: z.array(z.strictObject({ lines: z.number(), answers: z.number() })),
});
export type StartStates = z.infer<typeof StartStates>;

export const startStates = {
  /**
   * Where a run's answers began, and how they ended; null if all of them began at their prompts. Answers that
   * a later attempt repeated are left out.
   */
  ofRun: call(z.strictObject({ runId: z.string().min(1) }), StartStates.nullable()),
};
