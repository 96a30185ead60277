import * as z from 'zod';
import { DeviceId } from '../../engine/schema/device.ts';
import { SelfTestProgress } from '../../engine/schema/self-test.ts';
import { call, done, feed, nothing } from './define.ts';
import { Fault } from './runs.ts';

export const EngineStatus = z.strictObject({
  state: z.enum(['starting', 'ready', 'busy', 'failed']),
  runId: z.string().nullable(),
  error: Fault.nullable(),
});
export type EngineStatus = z.infer<typeof EngineStatus>;

/** Result of a device's self-check: a small training run in a process of its own, compared with the CPU. */
export const DeviceCheck = z.strictObject({
  /** Largest deviation from the CPU; null if the check failed before. */
  worst: z.number().nullable(),
  seconds: z.number().nullable(),
  /** Kinds of nodes that fell back to the CPU, with their number. */
  cpuNodes: z.record(z.string(), z.number()),
  error: Fault.nullable(),
  at: z.number(),
});
export type DeviceCheck = z.infer<typeof DeviceCheck>;

/**
 * `missing`: the device's library is not installed. A device that failed or is missing cannot be chosen for a
 * run.
 */
export const DeviceInfo = z.strictObject({
  id: DeviceId,
  title: z.string(),
  name: z.string().nullable(),
  memoryBytes: z.number().nullable(),
  threads: z.number(),
  state: z.enum(['works', 'failed', 'missing', 'unchecked']),
  error: Fault.nullable(),
  check: DeviceCheck.nullable(),
});
export type DeviceInfo = z.infer<typeof DeviceInfo>;

export const system = {
  info: call(
    nothing,
    z.strictObject({
      version: z.string(),
      platform: z.string(),
      node: z.string(),
      electron: z.string().nullable(),
      transport: z.enum(['ipc', 'loopback']),
    }),
  ),
  devices: call(nothing, z.array(DeviceInfo)),
  /** Checks a device now. A failure is part of the response. */
  checkDevice: call(z.strictObject({ id: DeviceId }), DeviceInfo),
  /**
   * Fetches a device's library (from a wheel, a folder or an address), checks its hash, and checks the
   * device; ends after the check.
   */
  installProvider: feed(
    z.strictObject({ id: DeviceId, source: z.string().min(1).max(4096) }),
    z.strictObject({
      phase: z.enum(['fetching', 'checking', 'trying']),
      done: z.number(),
      total: z.number(),
    }),
  ),
  /**
   * Closed forms, computed on a device; each value holds the rows finished since the last one. Closing the
   * feed stops the work at once.
   */
  selfTest: feed(z.strictObject({ device: DeviceId }), SelfTestProgress),
  engine: feed(nothing, EngineStatus),
  /**
   * Small settings of a page: theme, panes, filters. One JSON value per key, in the workspace-independent
   * settings file.
   */
  settings: call(nothing, z.record(z.string(), z.unknown())),
  setSetting: call(z.strictObject({ key: z.string().min(1).max(120), value: z.unknown() }), done),
  /**
   * A file or folder chosen in the desktop's dialog; null without one (a browser) or if the user cancelled.
   */
  choosePath: call(
    z.strictObject({ kind: z.enum(['file', 'folder', 'save']), title: z.string() }),
    z.string().nullable(),
  ),
};
