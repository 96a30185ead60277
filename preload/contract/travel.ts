import * as z from 'zod';
import { call, real } from './define.ts';

const id = z.string().min(1);
const runIds = z.array(id).min(1).max(16);

/** A prompt of the evaluations of runs. */
export const TravelPrompt = z.strictObject({
  promptId: z.string(),
  prompt: z.string(),
  /** Number of the runs that answered it. */
  runs: z.number(),
});
export type TravelPrompt = z.infer<typeof TravelPrompt>;

export const TravelAnswer = z.strictObject({
  id: z.string(),
  /** Its number among the evaluation's answers to the prompt, from 0. */
  sample: z.number(),
  completion: z.string(),
  stopReason: z.enum(['end', 'length']),
  scores: z.record(z.string(), real),
  /** The verifier's verdict, if there is one. */
  correct: z.boolean().nullable(),
});
export type TravelAnswer = z.infer<typeof TravelAnswer>;

/** Answers of one evaluation of a run to one prompt, by the newest attempt that reached the step. */
export const TravelStop = z.strictObject({
  runId: z.string(),
  step: z.number(),
  /** Stored answers to the prompt at this step; `answers` holds the first of them. */
  count: z.number(),
  /** Share of right answers among all of them; null where one has no verdict. */
  right: z.number().nullable(),
  answers: z.array(TravelAnswer),
});
export type TravelStop = z.infer<typeof TravelStop>;

export const travel = {
  /** Prompts of the evaluations of the runs that contain a text: those that most of the runs answered first. */
  prompts: call(
    z.strictObject({
      runIds,
      search: z.string().max(500).default(''),
      limit: z.int().min(1).max(200).default(100),
    }),
    z.strictObject({ prompts: z.array(TravelPrompt), more: z.boolean() }),
  ),
  /**
   * Answers of the runs to one prompt at each evaluation, by step. At most 4,000 answers and 1,000 evaluations: with more, the
   * evaluations in between are left out evenly, and `leftOut` counts them.
   */
  answers: call(
    z.strictObject({ runIds, promptId: id, samples: z.int().min(1).max(16).default(4) }),
    z.strictObject({ prompt: z.string().nullable(), stops: z.array(TravelStop), leftOut: z.number() }),
  ),
};
