import * as z from 'zod';
import { logKinds } from '../wire/log-lines.ts';
import { call } from './define.ts';

const id = z.string().min(1);

/** Something that happened to a run. */
export const LogEntry = z.strictObject({
  /** UTC epoch milliseconds; null where it was not recorded. */
  at: z.number().nullable(),
  attempt: z.number(),
  /** Null where it does not belong to a step. */
  step: z.number().nullable(),
  kind: z.enum(logKinds),
  text: z.string(),
  /** The whole text of an error, an answer that could not be scored. */
  detail: z.string().optional(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const runLog = {
  /** The events of a run, oldest first: the newest 1,000; `more`: there were more. */
  of: call(z.strictObject({ id }), z.strictObject({ entries: z.array(LogEntry), more: z.boolean() })),
};
