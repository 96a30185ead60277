/**
 * Robustness inheritance: what the runs of a plan, each adapted to one of several related tasks, lose on the
 * others.
 */
import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { real } from './define.ts';

/**
 * Adaptation to one task: gain there, and RI, the mean change on the other tasks; null until the run is done.
 */
const InheritedTask = z.strictObject({
  runId: z.string().nullable(),
  gain: real.nullable(),
  retention: real.nullable(),
  /** Change of pass@1 on the start’s own evaluation; null unless the run has the same. */
  onStart: real.nullable(),
  /** Change of the accuracy on each task of the family, in their order; null where it is unknown. */
  changes: z.array(real.nullable()),
});

export const InheritedRecipe = z.strictObject({
  /** What the ids of its nodes say besides the task. */
  name: z.string(),
  method: z.string(),
  /** One for each task of the family, in their order: the rows of the heat-map. */
  tasks: z.array(InheritedTask),
  /** mRI: the mean retention over the finished runs, with a bootstrap interval over the tasks. */
  retention: real.nullable(),
  retentionInterval: Interval.nullable(),
  gain: real.nullable(),
  gainInterval: Interval.nullable(),
  /** True if no other recipe has both more gain and more retention. */
  isFront: z.boolean(),
});
export type InheritedRecipe = z.infer<typeof InheritedRecipe>;

export const Inheritance = z.strictObject({
  /** The node whose model every run starts from. */
  start: z.string(),
  startRunId: z.string().nullable(),
  /** Names of the evaluations, one for each task. */
  tasks: z.array(z.string()),
  /** pass@1 of the start on each task; null as long as it is not known. */
  accuracies: z.array(real.nullable()),
  recipes: z.array(InheritedRecipe),
});
export type Inheritance = z.infer<typeof Inheritance>;

/** Data to adapt to: a task of the family by its name, a dataset, or a world. */
export const ForecastTarget = z.union([
  z.strictObject({ task: z.string().min(1) }),
  z.strictObject({ datasetId: z.string().min(1) }),
  z.strictObject({
    world: z.strictObject({ id: z.string().min(1), params: z.record(z.string(), z.unknown()).default({}) }),
  }),
]);
export type ForecastTarget = z.infer<typeof ForecastTarget>;

export const Forecast = z.strictObject({
  /** Distance of each task’s data from that of the start, in standard deviations of the latter. */
  distances: z.array(real),
  /**
   * What is foretold: the change on the start’s own evaluation, if its runs have that, else on the other
   * tasks.
   */
  of: z.enum(['start', 'others']),
  recipes: z.array(
    z.strictObject({
      name: z.string(),
      /**
       * Spearman’s correlation of distance with loss over the finished runs; null below three, or if
       * constant.
       */
      correlation: real.nullable(),
      /** Least squares: change = intercept + slope · distance; null below two finished runs. */
      line: z.strictObject({ intercept: real, slope: real }).nullable(),
      /** Change at the target’s distance by that line. */
      predicted: real.nullable(),
    }),
  ),
  /** Distance of the data that was asked about. */
  target: real.nullable(),
});
export type Forecast = z.infer<typeof Forecast>;
