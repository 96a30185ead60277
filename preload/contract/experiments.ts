import * as z from 'zod';
import { Interval } from '../../engine/schema/evaluation.ts';
import { ExperimentSpec, HalvingDecision, Objective } from '../../engine/schema/experiment.ts';
import { runStates } from '../wire/run-states.ts';
import { call, done, nothing, real } from './define.ts';

const id = z.string().min(1);

export const ExperimentRung = z.strictObject({ steps: z.number(), configurations: z.number() });

/** The runs that an experiment would make; nothing starts. */
export const ExperimentPlan = z.strictObject({
  /** Varied settings, in the order of the values of each configuration. */
  paths: z.array(z.string()),
  configurations: z.array(z.array(z.unknown())),
  seeds: z.array(z.number()),
  rungs: z.array(ExperimentRung),
  objective: Objective,
  /** Runs and their steps over all rungs. */
  runs: z.number(),
  steps: z.number(),
  /** Time of all runs one after another by the pace of finished runs like them, in seconds; null without any. */
  seconds: z.number().nullable(),
});
export type ExperimentPlan = z.infer<typeof ExperimentPlan>;

/** One configuration: its runs in the last rung that it reached. */
export const ExperimentRow = z.strictObject({
  configuration: z.number(),
  values: z.array(z.unknown()),
  /** Counted from 0. */
  rung: z.number(),
  steps: z.number(),
  runs: z.array(
    z.strictObject({ runId: z.string(), seed: z.number(), state: z.enum(runStates), value: real.nullable() }),
  ),
  /** Mean of the objective over seeds with a finite value, their number, and the 95 % interval. */
  n: z.number(),
  mean: z.number().nullable(),
  interval: Interval.nullable(),
  /** Also of several configurations with the same mean. */
  isBest: z.boolean(),
  /** The rung after which successive halving cut it; null if it was not cut. */
  cutAt: z.number().nullable(),
});
export type ExperimentRow = z.infer<typeof ExperimentRow>;

/** `waiting`: some of its runs were interrupted; nothing goes on before they are resumed. */
export const experimentStates = ['running', 'waiting', 'stopped', 'done', 'failed'] as const;

export const Experiment = z.strictObject({
  id: z.string(),
  name: z.string(),
  spec: ExperimentSpec,
  createdAt: z.number(),
  state: z.enum(experimentStates),
  objective: Objective,
  paths: z.array(z.string()),
  seeds: z.array(z.number()),
  rungs: z.array(ExperimentRung),
  rows: z.array(ExperimentRow),
  decisions: z.array(HalvingDecision),
  /** Ids of all of its runs, those of earlier rungs included. */
  runIds: z.array(z.string()),
  /** Runs that have ended, of all that there will be. */
  ended: z.number(),
  of: z.number(),
});
export type Experiment = z.infer<typeof Experiment>;

export const experiments = {
  /** Checks an experiment and lists its configurations; an error names the setting. */
  plan: call(z.strictObject({ spec: z.unknown() }), ExperimentPlan),
  /** Queues its first runs; later rungs follow by themselves. */
  launch: call(z.strictObject({ spec: z.unknown() }), z.strictObject({ id: z.string() })),
  /** Newest first. */
  list: call(nothing, z.array(Experiment)),
  get: call(z.strictObject({ id }), Experiment),
  /** Stops its runs; nothing more starts until `goOn`. */
  stop: call(z.strictObject({ id }), done),
  /** Queues its stopped, interrupted and failed runs again. */
  goOn: call(z.strictObject({ id }), done),
  /** Removes the experiment, and with `runs` its runs as well; refused (`conflict`) while one of them is live. */
  remove: call(z.strictObject({ id, runs: z.boolean().default(false) }), done),
  /** The experiment of a run, if any. */
  ofRun: call(z.strictObject({ runId: id }), z.strictObject({ id: z.string(), name: z.string() }).nullable()),
};
