import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { candidateModes } from '../../engine/schema/plan.ts';
import { runStates } from '../wire/run-states.ts';
import { Forecast, ForecastTarget, Inheritance } from './inheritance.ts';
import { call, done, nothing, real } from './define.ts';
import { Fault } from './runs.ts';

const id = z.string().min(1);

/** `waiting`: for nodes before it; `blocked`: one of them has failed; `making`: its rows are being made. */
export const planNodeStates = ['waiting', 'blocked', 'making', ...runStates] as const;

export const PlanNode = z.strictObject({
  id: z.string(),
  kind: z.enum(['run', 'data', 'labels']),
  state: z.enum(planNodeStates),
  /** Nodes that must be done before. */
  needs: z.array(z.string()),
  /** What it does: the method of a run, the operators of data. */
  does: z.string(),
  runId: z.string().nullable(),
  datasetId: z.string().nullable(),
  labelSetId: z.string().nullable(),
  /** Rows of complete data; pairs of a complete label set. */
  rows: z.number().nullable(),
  step: z.number(),
  /** Steps of a run; 0 of other nodes, and of a run by passes until it begins. */
  steps: z.number(),
  /** Last values of a run's evaluation by metric, without `eval/`; and of `coverage/states`. */
  evaluation: z.record(z.string(), real),
  error: Fault.nullable(),
});
export type PlanNode = z.infer<typeof PlanNode>;

/** A candidate of an arena: what it got and reached so far. */
export const ArenaCandidate = z.strictObject({
  id: z.string(),
  /** The code of its reward, if that is one snippet. */
  code: z.string().nullable(),
  /** Of an added one: the candidate whose policy it began from; null: the start of the first one. */
  origin: z.string().nullable(),
  mode: z.enum(candidateModes),
  /** True while its run waits or works. */
  isLive: z.boolean(),
  /** True if its newest value is the best of all. */
  isLeading: z.boolean(),
  updates: z.number(),
  /** Values of the metric after each of its finished budgets; null where a run has none. */
  scores: z.array(real.nullable()),
  /** 95 % interval of the last score, where the metric has one. */
  interval: Interval.nullable(),
  /** Its run in progress, else its last one. */
  runId: z.string().nullable(),
});
export type ArenaCandidate = z.infer<typeof ArenaCandidate>;

/** An arena of a plan: budgets that a rule hands out among candidates by their evaluations. */
export const Arena = z.strictObject({
  id: z.string(),
  rule: z.string(),
  metric: z.string(),
  /** The metric's worst and best value. */
  range: z.tuple([z.number(), z.number()]),
  /** Number of budgets in all. */
  budgets: z.number(),
  candidates: z.array(ArenaCandidate),
  /** Finished budgets, first to last. */
  pulls: z.array(z.strictObject({ candidate: z.string(), value: real.nullable() })),
  /** The best value that a candidate can reach, if the plan tells it. */
  oracle: real.nullable(),
});
export type Arena = z.infer<typeof Arena>;

/** `waiting`: nothing is in progress, and `goOn` continues it. */
export const planStates = ['running', 'waiting', 'stopped', 'done', 'failed'] as const;

export const Plan = z.strictObject({
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  createdAt: z.number(),
  state: z.enum(planStates),
  nodes: z.array(PlanNode),
  /** Empty in a list of plans. */
  arenas: z.array(Arena),
  /** Nodes that are done, of all. */
  done: z.number(),
  of: z.number(),
  /** By the pace of its runs so far; null as long as it has none of a method. */
  secondsLeft: z.number().nullable(),
});
export type Plan = z.infer<typeof Plan>;

/** The nodes that a file would make; nothing starts. */
export const PlanPreview = z.strictObject({
  name: z.string(),
  summary: z.string(),
  nodes: z.array(PlanNode.pick({ id: true, kind: true, needs: true, does: true, steps: true })),
  runs: z.number(),
  steps: z.number(),
  /** The plan of this workspace that was made from the same file, which launching it continues. */
  known: z.string().nullable(),
});
export type PlanPreview = z.infer<typeof PlanPreview>;

const file = z.strictObject({ plan: z.unknown() });

export const plans = {
  /** Checks a plan and lists its nodes; an error names the field. */
  preview: call(file, PlanPreview),
  /** Starts a plan, or continues the one that was made from the same file. */
  launch: call(file, z.strictObject({ id: z.string() })),
  /** Newest first, without evaluations. */
  list: call(nothing, z.array(Plan)),
  get: call(z.strictObject({ id }), Plan),
  /** Stops its runs; nothing more starts until `goOn`. */
  stop: call(z.strictObject({ id }), done),
  /** Continues it: stopped, interrupted and failed nodes once more, finished ones stay. */
  goOn: call(z.strictObject({ id }), done),
  /**
   * Pauses, pins or frees a candidate of an arena from the next budget on, or adds one with the code of its reward,
   * which begins from the policy of `origin`, or as the first candidate did; stored with the plan. `arena` may be
   * left out if the plan has one.
   */
  decide: call(
    z.strictObject({
      id,
      arena: id.optional(),
      candidate: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/, 'A name has letters, digits, - and _.'),
      mode: z.enum(candidateModes),
      code: z.string().min(1).max(20_000).optional(),
      origin: id.optional(),
    }),
    done,
  ),
  /** Removes the plan; its runs and datasets stay. Refused (`conflict`) while one of them is live. */
  remove: call(z.strictObject({ id }), done),
  /** What its runs that adapt one start to several tasks lose on the others; null if it has no such runs. */
  inheritance: call(z.strictObject({ id }), Inheritance.nullable()),
  /**
   * What an adaptation of the start to some data would lose there, by the distance of the data; null as
   * above.
   */
  forecast: call(
    z.strictObject({ id, target: ForecastTarget.nullable().default(null) }),
    Forecast.nullable(),
  ),
  /** The plan of a run, and its node there, if any. */
  ofRun: call(
    z.strictObject({ runId: id }),
    z.strictObject({ id: z.string(), name: z.string(), node: z.string() }).nullable(),
  ),
  /** Plans that ship with Whetstone, as files to launch or change. */
  presets: call(
    nothing,
    z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        summary: z.string(),
        plan: z.unknown(),
        sample: z.strictObject({ title: z.string(), about: z.string() }).optional(),
      }),
    ),
  ),
};
