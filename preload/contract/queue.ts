import * as z from 'zod';
import { call, done, feed, nothing } from './define.ts';
import { Fault } from './runs.ts';

const id = z.string().min(1);
const ids = z.array(id).min(1).max(1000);

/**
 * Why the next run waits although its device has room: its estimate is on its way or failed (`unknown`), those
 * that run have not taken a step yet, or it needs more memory than is free.
 */
export const QueueWait = z.strictObject({
  runId: z.string(),
  why: z.enum(['estimate', 'unknown', 'first-step', 'memory']),
  needBytes: z.number().nullable(),
  freeBytes: z.number().nullable(),
});
export type QueueWait = z.infer<typeof QueueWait>;

export const QueueState = z.strictObject({
  /** `restart`: runs were waiting when the workspace was opened; nothing starts until a person goes on. */
  paused: z.enum(['asked', 'restart']).nullable(),
  /** Most runs that run at once on the processor. An accelerator runs one at a time, next to those. */
  atOnce: z.number(),
  waits: QueueWait.nullable(),
});
export type QueueState = z.infer<typeof QueueState>;

/** Results of an action on several runs: the ids that it changed, and why the others stayed as they were. */
export const Bulk = z.strictObject({
  changed: z.array(z.string()),
  refused: z.array(z.strictObject({ id: z.string(), error: Fault })),
});
export type Bulk = z.infer<typeof Bulk>;

export const queue = {
  get: call(nothing, QueueState),
  watch: feed(nothing, QueueState),
  /** Starts no further run until `goOn`; those that run end normally. */
  pause: call(nothing, done),
  goOn: call(nothing, done),
  /** Moves a queued run to a place of the queue, 1 first. */
  move: call(z.strictObject({ id, to: z.int().min(1).max(1_000_000) }), done),
  setAtOnce: call(z.strictObject({ atOnce: z.int().min(1).max(8) }), done),
  /** Stops runs and takes queued ones out of the queue. */
  stop: call(z.strictObject({ ids }), Bulk),
  resume: call(z.strictObject({ ids }), Bulk),
  archive: call(z.strictObject({ ids, archived: z.boolean() }), Bulk),
};
