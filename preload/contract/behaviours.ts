import * as z from 'zod';
import { Chart, ChartExamination } from '../../engine/schema/chart.ts';
import { call } from './define.ts';

const runId = z.string().min(1).nullable();

/** Initial state of the chart editor. */
export const BehaviourStart = z.strictObject({
  worlds: z.array(z.strictObject({ id: z.string(), title: z.string(), observations: z.array(z.string()) })),
  /** The world of the run; without a run, the one of the examples. */
  world: z.string(),
  /** The charts of the run; examples without any. */
  charts: z.array(Chart),
  /** Name of the run; null without one. */
  run: z.string().nullable(),
});
export type BehaviourStart = z.infer<typeof BehaviourStart>;

/** Charts of behaviour in control worlds. */
export const behaviours = {
  open: call(z.strictObject({ runId }), BehaviourStart),
  /** Checks a chart; the stored episodes of the run's newest evaluation are replayed through it. */
  check: call(z.strictObject({ world: z.string().min(1), chart: z.unknown(), runId }), ChartExamination),
};
