import * as z from 'zod';
import { call, feed } from './define.ts';
import { CurationEvent } from './curation.ts';
import { ColumnModel } from './columns.ts';
import { DatasetVersion } from './versions.ts';
import { findingIds, fixIds } from '../wire/findings.ts';

const id = z.string().min(1);
const author = z.string().max(100).default('');

/** Data that must not be trained on: the rows of another dataset, or the evaluation problems of a world. */
export const Against = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dataset'), id }),
  z.strictObject({ kind: z.literal('world'), id }),
]);
export type Against = z.infer<typeof Against>;

/** Rows with a fault; the query `finding:id` finds them. */
export const Finding = z.strictObject({
  id: z.enum(findingIds),
  rows: z.number(),
  /** Groups of rows, or pairs; null for findings about single rows. */
  groups: z.number().nullable(),
  /** Parts of it in words, such as the sides of a leak, with their rows. */
  parts: z.array(z.strictObject({ title: z.string(), rows: z.number() })).readonly(),
});
export type Finding = z.infer<typeof Finding>;

/** Agreement of a rule that reads no text with the marks; `finding`: the rows of pairs on which it is wrong. */
export const DoctorBaseline = z.strictObject({
  rate: z.number().nullable(),
  interval: z.tuple([z.number(), z.number()]).readonly(),
  pairs: z.number(),
  finding: z.enum(findingIds),
});

/** A judge of marks that read each row without having learned from its prompt. */
export const DoctorJudge = z.strictObject({
  /** Marked rows that it judged, at most 20,000 drawn at random. */
  rows: z.number(),
  accuracy: z.number(),
  interval: z.tuple([z.number(), z.number()]).readonly(),
  /** Share of the more frequent mark: a judge that does not halve its errors lists no row. */
  majority: z.number(),
  /** Share of wrong marks, estimated by confident learning; null from a judge that knows too little. */
  noise: z.number().nullable(),
  /** The column that it learned from, in addition to the texts. */
  score: z.string().nullable(),
});

/** Findings of the doctor, without the rows themselves. */
export const Findings = z.strictObject({
  /** Rows that were examined: those that were not excluded. */
  rows: z.number(),
  pairs: z.number(),
  /** Name of the model whose tokenizer measured lengths; null: characters of the answer. */
  tokenizer: z.string().nullable(),
  /** Rows that the tokenizer could not encode. */
  unmeasured: z.number(),
  against: z.array(z.string()).readonly(),
  findings: z.array(Finding).readonly(),
  baselines: z.strictObject({ longestWins: DoctorBaseline, firstWins: DoctorBaseline }),
  /** Rows by language, the most frequent first; `und` where a text shows none. */
  languages: z
    .array(z.strictObject({ language: z.string(), rows: z.number(), finding: z.string() }))
    .readonly(),
  /** Bins closed below and open above, the last one closed. */
  lengths: z
    .array(z.strictObject({ from: z.number(), to: z.number(), rows: z.number(), finding: z.string() }))
    .readonly(),
  /** The judge of likely wrong marks; null if it was not asked for, or there are too few marks. */
  judge: DoctorJudge.nullable(),
  seconds: z.number(),
});
export type Findings = z.infer<typeof Findings>;

export const Examination = z.strictObject({
  at: z.number(),
  /** `excluded`: rows were excluded or restored since; `changed`: cells were, so that findings may not hold. */
  stale: z.enum(['fresh', 'excluded', 'changed']),
  summary: Findings,
});
export type Examination = z.infer<typeof Examination>;

export const ExamineProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('examining'),
    step: z.string(),
    share: z.number(),
    secondsLeft: z.number().nullable(),
  }),
  z.strictObject({ state: z.literal('done'), examination: Examination }),
]);
export type ExamineProgress = z.infer<typeof ExamineProgress>;

export const FixProgress = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('changing'),
    done: z.number(),
    total: z.number(),
    secondsLeft: z.number().nullable(),
  }),
  /** `event` is null if no row had to change; `version` if none was asked for. */
  z.strictObject({
    state: z.literal('done'),
    event: CurationEvent.nullable(),
    version: DatasetVersion.nullable(),
  }),
]);
export type FixProgress = z.infer<typeof FixProgress>;

export const doctor = {
  /** The newest examination of a dataset; null if it was never examined. */
  get: call(z.strictObject({ id }), Examination.nullable()),
  /**
   * Examines the rows that are not excluded, in the background, and keeps the result in place of the one
   * before. Closing the feed cancels it, and the result before stays.
   */
  examine: feed(
    z.strictObject({
      id,
      /** The model whose tokenizer measures lengths; without one, characters. */
      tokenizer: ColumnModel.optional(),
      against: z.array(Against).max(20).default([]),
      /** An extra column that says to which split a row belongs; by default `split`, and the splits of rows. */
      split: z.string().max(500).optional(),
      /** Looks for likely wrong marks too. */
      wrongMarks: z.boolean().default(true),
      /** A column of numbers that a judge of wrong marks learns from, in addition to the texts. */
      score: z.string().max(500).optional(),
    }),
    ExamineProgress,
  ),
  /**
   * Repairs a finding in one step of curation, and saves a version if one is named. Throws `conflict` before
   * anything is changed if cells were changed since the examination, or the name is taken.
   */
  fix: feed(
    z.strictObject({
      id,
      finding: z.enum(findingIds),
      fix: z.enum(fixIds),
      version: z.string().trim().min(1).max(100).optional(),
      author,
    }),
    FixProgress,
  ),
};
