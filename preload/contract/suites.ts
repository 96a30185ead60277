import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { SuiteKind, SuiteReport, SuiteSummary } from '../../engine/schema/suite.ts';
import { call, done, feed, nothing, real } from './define.ts';
import { JudgeFrom } from './inside.ts';

const id = z.string().min(1);

/** A stored report as it is listed, with the run of its judge; null for an added model. */
export const ListedSuite = z.strictObject({ id, runId: z.string().nullable(), summary: SuiteSummary });
export type ListedSuite = z.infer<typeof ListedSuite>;

/** Two reports on the same file. */
export const SuiteDifference = z.strictObject({
  /** Items that both have a credit for. */
  items: real,
  /** Means of their credits, and b − a with its 95 % interval; null without shared items. */
  a: real.nullable(),
  b: real.nullable(),
  difference: real.nullable(),
  interval: Interval.nullable(),
});
export type SuiteDifference = z.infer<typeof SuiteDifference>;

export const suites = {
  /**
   * Scores the items of a file with a judge and stores the report; a file that is itself a report is stored as it
   * is. Without `suite` its columns decide. The last value has the id; closing the feed cancels the work.
   */
  run: feed(
    z.strictObject({
      from: JudgeFrom,
      /** A file, or a dataset or label set whose pairs are a gold set: one of them. */
      path: z.string().min(1).optional(),
      data: z.strictObject({ kind: z.enum(['dataset', 'label-set']), id }).optional(),
      suite: SuiteKind.optional(),
      /** Gold set: the column that divides it. */
      slice: z.string().min(1).max(200).optional(),
      /** ProcessBench: a step with a score below it is an error; fitted on half of the answers without one. */
      threshold: real.optional(),
    }),
    z.strictObject({ done: z.number(), total: z.number(), id: id.nullable() }),
  ),
  /** The newest 200 reports, newest first. */
  list: call(nothing, z.array(ListedSuite)),
  get: call(z.strictObject({ id }), SuiteReport),
  /** The solution of an item of ProcessBench, whose steps are paragraphs. */
  item: call(
    z.strictObject({ id, position: z.int().min(0) }),
    z.strictObject({ id: z.string(), prompt: z.string(), completion: z.string() }),
  ),
  /** Paired over the items of the file that both reports are on. */
  compare: call(z.strictObject({ a: id, b: id }), SuiteDifference),
  remove: call(z.strictObject({ id }), done),
};
