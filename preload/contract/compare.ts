import * as z from 'zod';
import { EpisodeEvaluation, Interval, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import { call, real } from './define.ts';

const id = z.string().min(1);

/** One field in which specs differ; `names` holds the names of what its values refer to by id. */
export const Difference = z.strictObject({
  path: z.string(),
  values: z.array(z.unknown()),
  names: z.array(z.string().nullable()),
});

const runIds = z.array(id).min(1).max(64);
const estimate = z.strictObject({ value: real, interval: Interval.nullable() });
const aggregates = <T extends z.ZodType>(value: T) =>
  z.strictObject({ mean: value, median: value, iqm: value, optimalityGap: value });

/** A difference of a group of runs to the baseline in one measure; null without a common problem. */
const PairedDifference = z.strictObject({
  measure: z.string(),
  /** The group's key. */
  key: z.string(),
  name: z.string(),
  baseline: z.string(),
  difference: real.nullable(),
  interval: Interval.nullable(),
  p: z.number().nullable(),
  /** After Holm's correction over the differences of the measure. */
  adjusted: z.number().nullable(),
  /** Common problems, and those of the group and of the baseline. */
  problems: z.number(),
  of: z.tuple([z.number(), z.number()]),
  /** Problems with which .02 would be seen with 80 % power. */
  needed: z.number().nullable(),
  verdict: z.enum(['higher', 'lower', 'unclear']),
  sentence: z.string(),
});

export const Conclusion = z.strictObject({
  /** Key of the baseline's group; null without an evaluated run. */
  baseline: z.string().nullable(),
  groups: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      runIds: z.array(z.string()),
      seeds: z.array(z.number().nullable()),
      /** Mean pass@1 over the runs, with Student's interval; null without pass@1 by problem. */
      overSeeds: z
        .strictObject({ mean: real, interval: Interval.nullable(), n: z.number(), values: z.array(real) })
        .nullable(),
    }),
  ),
  measures: z.array(
    z.strictObject({ id: z.string(), title: z.string(), unit: z.enum(['rate', 'score', 'tokens']) }),
  ),
  differences: z.array(PairedDifference),
  leftOut: z.array(z.strictObject({ runId: z.string(), name: z.string(), reason: z.string() })),
  /** Problems that all groups have in common. */
  problems: z.number(),
  aggregates: z.array(
    z.strictObject({
      key: z.string(),
      runs: z.number(),
      replicates: z.number(),
      values: aggregates(real),
      intervals: aggregates(Interval).nullable(),
      /** Probability of improvement over the baseline. */
      improvement: estimate.nullable(),
    }),
  ),
  /** Problems on which group `a` is better than, equal to and worse than `b`. */
  wins: z.array(
    z.strictObject({
      a: z.string(),
      b: z.string(),
      problems: z.number(),
      better: z.number(),
      equal: z.number(),
      worse: z.number(),
      intervals: z.strictObject({ better: Interval, equal: Interval, worse: Interval }),
    }),
  ),
});
export type Conclusion = z.infer<typeof Conclusion>;

export const ProblemQuery = z.strictObject({
  runIds,
  folded: z.boolean().default(false),
  /** Problems of one kind for two runs (or their groups): those that only `a` solves, or does better on … */
  pair: z
    .strictObject({ a: id, b: id, kind: z.enum(['only', 'better', 'equal', 'worse']) })
    .nullable()
    .default(null),
  /** Only problems on which the rates differ. */
  differing: z.boolean().default(false),
  /** A problem counts as solved from this share of right answers on. */
  threshold: z.number().gt(0).max(1).default(0.5),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(200).default(50),
});
export type ProblemQuery = z.infer<typeof ProblemQuery>;

export const ComparedProblems = z.strictObject({
  groups: z.array(z.strictObject({ key: z.string(), name: z.string(), runIds: z.array(z.string()) })),
  total: z.number(),
  /** Problems that all groups answered. */
  common: z.number(),
  problems: z.array(
    z.strictObject({
      promptId: z.string(),
      prompt: z.string(),
      /** Share of right answers, by group. */
      rates: z.array(z.number().nullable()),
    }),
  ),
  flips: z
    .strictObject({
      both: z.number(),
      onlyA: z.number(),
      onlyB: z.number(),
      neither: z.number(),
      /** McNemar's exact p-value. */
      p: z.number(),
    })
    .nullable(),
});
export type ComparedProblems = z.infer<typeof ComparedProblems>;

export const compare = {
  /** Differences to a baseline, aggregates and wins, over the problems of the newest evaluations. */
  conclude: call(
    z.strictObject({
      runIds,
      baseline: id.nullable().default(null),
      /** Runs that differ in their seed alone count as one group. */
      folded: z.boolean().default(false),
    }),
    Conclusion,
  ),
  problems: call(ProblemQuery, ComparedProblems),
  overview: call(
    z.strictObject({ runIds }),
    z.strictObject({
      rows: z.array(
        z.strictObject({
          runId: z.string(),
          name: z.string(),
          method: z.string(),
          state: z.string(),
          /** Equal for runs that differ in nothing but their seed and name. */
          group: z.string(),
          evaluation: PolicyEvaluation.nullable(),
          /** Of a run in a control world. */
          episodes: EpisodeEvaluation.nullable(),
        }),
      ),
      differences: z.array(Difference),
    }),
  ),
  /** Writes one self-contained HTML file about these runs. */
  report: call(
    z.strictObject({
      runIds,
      title: z.string().max(200).default('Comparison'),
      path: z.string().nullable().default(null),
      /** As of `conclude`. */
      baseline: id.nullable().optional(),
      folded: z.boolean().optional(),
    }),
    z.strictObject({ path: z.string(), html: z.string() }),
  ),
};
