import { z } from 'zod';
import { call, done, feed, nothing } from './define.ts';
import { Fault } from './runs.ts';

export const EngineStatus = z.strictObject({
  state: z.enum(['starting', 'ready', 'busy', 'failed']),
  runId: z.string().nullable(),
  error: Fault.nullable(),
});
export type EngineStatus = z.infer<typeof EngineStatus>;

export const system = {
  info: call(nothing, z.strictObject({ version: z.string(), platform: z.string(), node: z.string(), electron: z.string().nullable(), transport: z.enum(['ipc', 'loopback']) })),
  devices: call(nothing, z.array(z.strictObject({ id: z.string(), name: z.string(), threads: z.number(), ok: z.boolean(), error: Fault.optional() }))),
  engine: feed(nothing, EngineStatus),
  /** Small facts that a page keeps: theme, panes, filters. One JSON value a key, in the workspace-independent settings file. */
  settings: call(nothing, z.record(z.string(), z.unknown())),
  setSetting: call(z.strictObject({ key: z.string().min(1).max(120), value: z.unknown() }), done),
  /** A file or folder by the desktop's own dialog; null when there is none (a browser) or the person cancelled. */
  choosePath: call(z.strictObject({ kind: z.enum(['file', 'folder', 'save']), title: z.string() }), z.string().nullable()),
};
