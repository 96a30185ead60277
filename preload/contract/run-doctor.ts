import * as z from 'zod';
import { RunFinding } from '../../engine/schema/run-finding.ts';
import { call, feed, nothing } from './define.ts';

const id = z.string().min(1);

/** Findings of a run, severe ones first, and the rules whose findings were dismissed for this run. */
export const RunExamination = z.strictObject({
  runId: z.string(),
  /** Step that it was examined at; 0 before its first examination. */
  step: z.number(),
  /** UTC epoch milliseconds. */
  at: z.number(),
  findings: z.array(RunFinding),
  dismissed: z.array(z.string()),
});
export type RunExamination = z.infer<typeof RunExamination>;

export const RunRule = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  source: z.string(),
  /** Metrics that it reads; `*` in a name: any part. */
  reads: z.array(z.string()),
});
export type RunRule = z.infer<typeof RunRule>;

export const runDoctor = {
  /** Every rule of the run doctor. */
  rules: call(nothing, z.array(RunRule)),
  /** The findings of a run in its present state; of a running one, those of its last examination. */
  get: call(z.strictObject({ id }), RunExamination),
  /** The same, and again after each examination of the run. */
  watch: feed(z.strictObject({ id }), RunExamination),
  /** Dismisses a finding of a run, or takes that back; lists no longer count it. */
  dismiss: call(z.strictObject({ id, rule: id, dismissed: z.boolean() }), RunExamination),
};
