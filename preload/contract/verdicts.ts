import * as z from 'zod';
import { call, real } from './define.ts';

/** Steps in a row in which one role of a run trained. */
const Turn = z.strictObject({ role: z.string(), from: z.number(), to: z.number(), answers: z.number() });
export type Turn = z.infer<typeof Turn>;

/** Verdicts against the truth: `rightAsWrong` counts right ones with the verdict wrong. */
const Confusion = z.strictObject({
  rightAsRight: z.number(),
  rightAsWrong: z.number(),
  wrongAsRight: z.number(),
  wrongAsWrong: z.number(),
});
export type Confusion = z.infer<typeof Confusion>;

/** Sampled verdicts of one part of the training, each part with as many updates of the verifier. */
const VerdictStage = z.strictObject({
  from: z.number(),
  to: z.number(),
  /** Answers that were judged in these steps, and those of them that are counted here. */
  stored: z.number(),
  read: z.number(),
  /** Verdicts without the right number or form. */
  malformed: z.number(),
  answers: Confusion,
  /** Null where the world does not judge single lines. */
  lines: Confusion.nullable(),
  /**
   * Shares of wrong answers whose first wrong line is found, and of right ones in which none is; null without
   * such answers. F1 is their harmonic mean.
   */
  firstError: z.strictObject({ inWrong: real.nullable(), inRight: real.nullable(), f1: real.nullable() }),
});
export type VerdictStage = z.infer<typeof VerdictStage>;

const JudgedLine = z.strictObject({
  text: z.string(),
  verdict: z.boolean().nullable(),
  holds: z.boolean().nullable(),
});
export type JudgedLine = z.infer<typeof JudgedLine>;

/** An answer with a verdict on each line; null: not known, or not written. */
const JudgedTranscript = z.strictObject({
  id: z.string(),
  step: z.number(),
  prompt: z.string(),
  lines: z.array(JudgedLine),
  /** The final answer behind the judged lines. */
  rest: z.string(),
  written: z.string(),
  verdict: z.boolean().nullable(),
  correct: z.boolean().nullable(),
  /** Lines from 0; −1: no line. */
  firstError: z.number().nullable(),
  firstBlamed: z.number().nullable(),
});
export type JudgedTranscript = z.infer<typeof JudgedTranscript>;

export const transcriptKinds = ['all', 'found', 'elsewhere', 'missed', 'false-alarm'] as const;
export type TranscriptKind = (typeof transcriptKinds)[number];

const runId = z.string().min(1);

/** A verifier that writes verdicts on the lines of answers, while it is trained beside a policy. */
export const verdicts = {
  /** Its role, the turns of all roles, and its verdicts by stage of training; null for a run without one. */
  ofRun: call(
    z.strictObject({ runId }),
    z
      .strictObject({
        role: z.string(),
        right: z.string(),
        wrong: z.string(),
        turns: z.array(Turn),
        stages: z.array(VerdictStage),
      })
      .nullable(),
  ),
  /**
   * Judged answers of steps `from` to `to`. `found`: the first wrong line is the first with the verdict
   * wrong; `elsewhere`: another one is; `missed`: none is; `false-alarm`: a right answer with such a verdict.
   */
  transcripts: call(
    z.strictObject({
      runId,
      from: z.int().min(0),
      to: z.int().min(0),
      kind: z.enum(transcriptKinds).default('all'),
      limit: z.int().min(1).max(100).default(12),
    }),
    z.strictObject({ total: z.number(), transcripts: z.array(JudgedTranscript) }),
  ),
};
