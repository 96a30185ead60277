import * as z from 'zod';
import { call } from './define.ts';

const count = z.number();
/** A share with its interval (95 %), resampled by instruction. */
const Rate = z.strictObject({ rate: z.number(), low: z.number(), high: z.number() });

/** Answers to the instructions of one round. */
export const ProbeRound = Rate.extend({
  /** From 1. */
  round: count,
  instructions: count,
  answers: count,
  /** 1 − the mean cosine of an instruction to the others of its set; null if none has one. */
  diversity: z.number().nullable(),
});
export type ProbeRound = z.infer<typeof ProbeRound>;

/** Answers to the instructions with one kind of change; several kinds of one instruction count each. */
export const ProbeTheme = Rate.extend({
  /** Null: instructions without a change. */
  theme: z.string().nullable(),
  instructions: count,
  /** Of these, those with fewer right answers than wrong ones. */
  failed: count,
});
export type ProbeTheme = z.infer<typeof ProbeTheme>;

/** An instruction with fewer right answers than wrong ones. */
export const ProbeFailure = z.strictObject({
  instruction: z.string(),
  themes: z.array(z.string()),
  round: count,
  /** The right answer; null where it is not known from an instruction. */
  expected: z.string().nullable(),
  answers: z.array(z.strictObject({ text: z.string(), isRight: z.boolean() })),
});
export type ProbeFailure = z.infer<typeof ProbeFailure>;

export const Gallery = Rate.extend({
  instructions: count,
  answers: count,
  /** True if the right answers to instructions are known, so that they can be learned. */
  tellsRight: z.boolean(),
  rounds: z.array(ProbeRound),
  /** Those with most failures first. */
  themes: z.array(ProbeTheme),
  /** Instructions that failed, of the chosen theme. */
  failed: count,
  /** A page of them, the latest round first. */
  failures: z.array(ProbeFailure),
});
export type Gallery = z.infer<typeof Gallery>;

/** Findings of a probe of a policy by instructions. */
export const gallery = {
  /** Of a run of the method `ert`; without answers yet, nothing but zeros. Throws `not-found`. */
  of: call(
    z.strictObject({
      runId: z.string().min(1),
      /** Failures with this kind of change only. */
      theme: z.string().nullable().default(null),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(200).default(20),
    }),
    Gallery,
  ),
};
