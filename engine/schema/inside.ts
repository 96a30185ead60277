/** Credit of the parts of one answer, and the calls of the engine that look inside a judge. */
import * as z from 'zod';
import type { DistanceCalls } from './distance.ts';
import { real } from './real.ts';

/** Parts of an answer that get credit. `words`: also where tokens do not spell the answer. */
export const CreditUnit = z.enum(['tokens', 'words', 'sentences', 'steps']);
export type CreditUnit = z.infer<typeof CreditUnit>;

/** Rank correlation (Spearman) of credit with the effect of deletion; null below three units, or if constant. */
const agreement = real.nullable();

export const InsideAnswer = z.strictObject({
  unit: CreditUnit,
  /** Score of the answer, and of an empty answer to the same prompt. */
  score: real,
  empty: real,
  /** The parts in order; together they are the answer. */
  units: z.array(
    z.strictObject({
      text: z.string(),
      /** Score of the answer up to the end of this unit, as if it ended there. */
      prefix: real,
      /** Gain over the score of the prefix before it; credits sum to score − empty. */
      credit: real,
      /**
       * Gain in the head's number within one pass over the whole answer; null for a judge without such
       * a head. The head was trained at the end of answers only.
       */
      state: real.nullable(),
      /** Score of the answer less that of the answer without this unit. */
      deletion: real,
    }),
  ),
  /** Agreement of `credit` and of `state` with `deletion`. */
  agreement: z.strictObject({ credit: agreement, state: agreement }),
});
export type InsideAnswer = z.infer<typeof InsideAnswer>;

/** Scores of the steps of one answer. */
export const StepScores = z.strictObject({
  /** `head`: a judge of steps gives each its probability; `prefix`: the score of the answer up to each step. */
  by: z.enum(['head', 'prefix']),
  /** One for each step; null from the first step on that the model's context does not hold. */
  scores: z.array(real.nullable()),
});
export type StepScores = z.infer<typeof StepScores>;

/** Both scores of the steps of one answer. */
export interface AnswerStepScores {
  /** Score of the answer up to the end of each step, as if it ended there; null beyond the context. */
  readonly prefix: (number | null)[];
  /** Probability that a judge of steps gives to each, within one pass; null for a judge of another kind. */
  readonly head: (number | null)[] | null;
}

/** A judge's files. */
interface JudgePlace {
  readonly checkpoint: string;
  readonly base?: { readonly path: string; readonly hash: string | null };
}

/** Calls of the engine that look inside a judge. */
export interface InsideCalls extends DistanceCalls {
  /** Credit of the parts of one answer. Without `unit` the finest is chosen that has at most 160 parts. */
  inside: {
    input: JudgePlace & { readonly prompt: string; readonly completion: string; readonly unit?: CreditUnit };
    output: InsideAnswer;
  };
  /** Scores of the steps of one answer, at offsets `[start, end)` in it. */
  answerSteps: {
    input: JudgePlace & {
      readonly prompt: string;
      readonly completion: string;
      readonly ranges: readonly (readonly [start: number, end: number])[];
    };
    output: AnswerStepScores;
  };
  /** Scores of the steps of answers, which are joined by line breaks. */
  stepScores: {
    input: JudgePlace & {
      readonly items: readonly { readonly prompt: string; readonly steps: readonly string[] }[];
    };
    output: StepScores[];
  };
  /** Places of answers by their representations in a judge, and the nearest neighbours of each. */
  judgeMap: {
    input: JudgePlace & {
      readonly items: readonly { readonly prompt: string; readonly completion: string }[];
      readonly neighbours: number;
    };
    output: {
      readonly x: Float64Array;
      readonly y: Float64Array;
      readonly explained: readonly [number, number];
      /** Numbers of a representation. */
      readonly width: number;
      /** Items that exceed the model's context, of which it reads the beginning, as for a score. */
      readonly cut: number;
      /** Items × k, row by row: the nearest other items by cosine, nearest first, and the cosines. */
      readonly neighbours: Uint32Array;
      readonly cosines: Float64Array;
      readonly k: number;
    };
    progress: { readonly share: number };
  };
}
