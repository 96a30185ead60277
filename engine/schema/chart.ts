/** Charts of behaviour, as a run's specification and a file hold them. */
import * as z from 'zod';

/** Compares an observation, by its name, with a number or with another observation plus a number. */
const Condition = z.strictObject({
  value: z.string().min(1),
  is: z.enum(['<', '<=', '=', '!=', '>=', '>']),
  than: z.union([z.number(), z.string().min(1)]),
  plus: z.number().default(0),
});
export type Condition = z.infer<typeof Condition>;

const name = z.string().min(1).max(60);

/** A chart; all conditions of a state hold while one is in it. */
export const Chart = z
  .strictObject({
    name,
    states: z
      .array(z.strictObject({ name, when: z.array(Condition).min(1).max(8) }))
      .min(1)
      .max(20),
    order: z.array(name).min(1).max(12).describe('States to be reached, one after the other.'),
    forbidden: z.array(name).default([]).describe('States that cost the auxiliary reward something.'),
    within: z
      .int()
      .min(1)
      .optional()
      .describe('Most steps from being in a state of the order to the next; later, the order begins again.'),
  })
  .describe('A behaviour, as a chart over observations (Text-to-Drive, arXiv:2406.04300).');
export type Chart = z.infer<typeof Chart>;

/** A chart of a run in a control world: always a measure of its evaluations, with a weight a reward too. */
export const WatchedChart = z.strictObject({
  chart: Chart,
  weight: z
    .number()
    .min(0)
    .max(1000)
    .default(1)
    .describe("What its pay counts beside the world's reward; with 0 it is only measured."),
  pays: z
    .enum(['progress', 'states'])
    .default('progress')
    .describe(
      'progress: 1/n for each state of an order of n that is reached for the first time in its place, so that a ' +
        'whole order pays 1. states: 1/n at each step for each of these states that holds, in whatever order.',
    ),
  penalty: z.number().min(0).max(1000).default(0.1).describe('Cost of a step in a forbidden state.'),
});
export type WatchedChart = z.infer<typeof WatchedChart>;

/** A trajectory of T observations, its start first, as a chart sees it. */
export const ChartReplay = z.strictObject({
  title: z.string(),
  /** The states that it entered, and how far the order came, as a sentence. */
  words: z.string(),
  complete: z.boolean(),
  /** [T]: indices of the states that hold. */
  inside: z.array(z.array(z.number())),
  /** [T]: states of the order that were reached, at most so far. */
  reached: z.array(z.number()),
});
export type ChartReplay = z.infer<typeof ChartReplay>;

/** A chart checked in a world, with trajectories replayed. */
export const ChartExamination = z.strictObject({
  chart: Chart,
  faults: z.array(z.strictObject({ kind: z.string(), state: z.string(), message: z.string() })),
  /** The fewest actions that complete the order; null if none was found. */
  actions: z.array(z.string()).nullable(),
  searched: z.number(),
  isComplete: z.boolean(),
  /** First the fewest actions, then the given trajectories. */
  replays: z.array(ChartReplay),
});
export type ChartExamination = z.infer<typeof ChartExamination>;
