import * as z from 'zod';
import { call, done, feed, nothing } from './define.ts';
import { Fault } from './runs.ts';

/** The demo in the open workspace: not started since it was opened, in progress, or ended. */
export const DemoStatus = z.strictObject({
  state: z.enum(['idle', 'running', 'stopping', 'done', 'stopped', 'failed']),
  /** Name of the stage in progress; empty before the first. */
  stage: z.string(),
  /** Number of finished stages, and of all. */
  finished: z.number(),
  stages: z.number(),
  /** Finished share of its expected time, from 0 to 1. */
  share: z.number(),
  /** Expected time until its end; the time of the whole demo on two idle cores while it is `idle`. */
  secondsLeft: z.number().nullable(),
  /** The run of the stage in progress. */
  runId: z.string().nullable(),
  /** Runs that trained its policies so far, the base policy first. */
  policies: z.array(z.string()),
  /** What its policies gained and lost, in sentences, once it is done. */
  findings: z.array(z.string()),
  /** Path of its report, once it is done. */
  report: z.string().nullable(),
  error: Fault.nullable(),
});
export type DemoStatus = z.infer<typeof DemoStatus>;

export const demo = {
  /**
   * Starts the demo in the open workspace and returns at once; it goes on without the page. Throws `conflict`
   * while one is in progress.
   */
  start: call(z.strictObject({ seed: z.int().min(0).max(0xffff_ffff).default(0) }), done),
  /** Stops it after the current step of its run; finished runs stay. Does nothing if none is in progress. */
  stop: call(nothing, done),
  watch: feed(nothing, DemoStatus),
};
