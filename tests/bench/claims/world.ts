/** Runs for claims: toy worlds, a model of 13 thousand parameters, seconds each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSpec } from '../../../engine/index.ts';
import { runToEnd } from '../../../engine/rl/train.ts';
import type { Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { noResources, recorder, runToy, toyModel, type Seen } from '../../support/toy-run.ts';

export type ToySpec = Omit<RunSpecInput, 'models' | 'task'> & { readonly task: RunSpecInput['task'] };

/** A run from random weights. */
export const fresh = (device: Device, spec: ToySpec): Promise<Seen[]> => runToy(device, checkSpec({ models: toyModel, ...spec }));

/** What `use` makes of a model that `spec` trained; `start` runs a spec from that model. The folder is gone afterwards. */
export const after = async <T>(device: Device, spec: ToySpec, use: (start: (spec: ToySpec) => Promise<Seen[]>) => Promise<T>): Promise<T> => {
  const outDir = await mkdtemp(join(tmpdir(), 'whetstone-claim-'));
  try {
    const { seen, events } = recorder();
    await runToEnd({ runId: 'base', attempt: 1, spec: checkSpec({ models: toyModel, ...spec }), resources: noResources, outDir }, events, new AbortController().signal, device);
    const saved = seen.findLast((event) => event.type === 'checkpoint');
    if (saved?.type !== 'checkpoint') throw new Error('the base left no checkpoint');
    const resources: Resources = { ...noResources, checkpoints: { base: saved.checkpoint.path } };
    return await use((next) => runToy(device, checkSpec({ models: { policy: { kind: 'checkpoint', checkpointId: 'base' } }, ...next }), { resources }));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
};

/** Every value of a metric, first to last. */
export const curve = (seen: readonly Seen[], name: string): number[] =>
  seen.flatMap((event) => (event.type === 'metrics' && name in event.values ? [event.values[name]] : []));

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
