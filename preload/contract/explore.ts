import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { call } from './define.ts';

const id = z.string().min(1);
/** One per run. */
const numbers = z.array(z.number().nullable());

/** A field in which the runs differ. */
export const ExploreParameter = z.strictObject({
  path: z.string(),
  /** One per run: a number, the text of any other value, or null where a run has no such field. */
  values: z.array(z.union([z.number(), z.string()]).nullable()),
  /** Fields that split the runs into the same groups, so that their effects cannot be told apart. */
  together: z.array(z.string()),
});
export type ExploreParameter = z.infer<typeof ExploreParameter>;

/** A measured result: of the last evaluation, or the last value of a metric. */
export const ExploreResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  values: numbers,
  /** 95 % intervals, where they are known. */
  intervals: z.array(Interval.nullable()),
});
export type ExploreResult = z.infer<typeof ExploreResult>;

/** Share of a result's ranks that a parameter explains over the runs that have both. */
export const ExploreImportance = z.strictObject({
  path: z.string(),
  result: z.string(),
  n: z.number(),
  share: z.number(),
  correlation: z.number().nullable(),
  /** Of a permutation test, corrected for the number of parameters (Holm 1979). */
  p: z.number(),
});
export type ExploreImportance = z.infer<typeof ExploreImportance>;

export const explore = {
  /** Parameters and results of runs as columns, and what the parameters explain of each result. */
  table: call(
    z.strictObject({
      runIds: z.array(id).min(1).max(64),
      /** Metrics whose last values are results, in addition to those of evaluations. */
      metrics: z.array(z.string().min(1)).max(16).default([]),
    }),
    z.strictObject({
      runs: z.array(z.strictObject({ id: z.string(), name: z.string() })),
      parameters: z.array(ExploreParameter),
      results: z.array(ExploreResult),
      importance: z.array(ExploreImportance),
    }),
  ),
};
