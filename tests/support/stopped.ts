/** A run that is stopped and resumed, next to the same run in one piece. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { readCheckpoint } from '../../engine/models/checkpoint.ts';
import type { Device } from '../../engine/runtime/index.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import { lastCheckpoint, runInto } from './toy-run.ts';

/** The metrics that runs of the same bits have in common: all but times and memory. */
export const reported = (events: readonly { type: string }[]): [name: string, value: number][] =>
  events.flatMap((event) => {
    if (event.type !== 'metrics') return [];
    const { values } = event as unknown as { values: Record<string, number> };
    return Object.entries(values).filter(([name]) => !/^(seconds|system|tokens_per)/.test(name));
  });

/**
 * Expects the parameters, the optimizer, the state and the metrics of a run that was stopped after
 * `stopAfter` steps to be those of one that was not; returns its last checkpoint and the names of its
 * metrics.
 */
export const expectSameBits = async (
  device: Device,
  spec: RunSpec,
  { folder, stopAfter }: { readonly folder: string; readonly stopAfter: number },
) => {
  const whole = await runInto(device, spec, join(folder, 'whole'));
  const first = await runInto(device, spec, join(folder, 'parts'), { stopAfter });
  expect(first.outcome).toBe('stopped');
  const resumeFrom = lastCheckpoint(first.seen);
  const rest = await runInto(device, spec, join(folder, 'parts'), { attempt: 2, resumeFrom });
  const [a, b] = await Promise.all([whole, rest].map(({ seen }) => readCheckpoint(lastCheckpoint(seen))));
  expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
  expect(b.optimizer).toEqual(a.optimizer);
  expect(b.state).toEqual(a.state);
  const metrics = reported(rest.seen);
  expect(metrics.length).toBeGreaterThan(50);
  expect(metrics).toEqual(reported(whole.seen).slice(-metrics.length));
  return { checkpoint: a, names: metrics.map(([name]) => name) };
};
