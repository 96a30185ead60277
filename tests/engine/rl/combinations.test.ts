/**
 * Every method in a random combination of the settings that all runs share: features that work alone must
 * also work together.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMachineMetric } from '../../../engine/common/machine-metrics.ts';
import { stream } from '../../../engine/random/random.ts';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { trainedOf } from '../../../engine/models/model.ts';
import type { Method } from '../../../engine/rl/kernel/method.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import {
  isGuided,
  lastCheckpoint,
  noResources,
  runInto,
  toyModels,
  type Seen,
} from '../../support/toy-run.ts';

let one: Device;
let several: Device;
let folder: string;
let resources: Resources;
const fresh = {
  kind: 'new',
  architecture: { width: 16, layers: 1, heads: 2, context: 64 },
  tokenizer: { kind: 'bytes' },
} as const;

beforeAll(async () => {
  [one, several] = [
    await openDevice({ id: 'cpu', threads: 1 }),
    await openDevice({ id: 'cpu', threads: 1, stepsPerRun: 2 }),
  ];
  folder = await mkdtemp(join(tmpdir(), 'whetstone-combinations-'));
  const begin = checkSpec({
    method: { id: 'sft' },
    models: { policy: fresh },
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 1, batch: 2 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 0 },
  });
  resources = {
    ...noResources,
    checkpoints: { start: lastCheckpoint((await runInto(one, begin, join(folder, 'start'))).seen) },
  };
});
afterAll(async () => {
  await Promise.all([one.close(), several.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** Settings with which the policy learns in some of the four steps. */
const sooner: { readonly [id: string]: object } = {
  'a-lol': { criticSteps: 1 },
  'aw-sampling': { criticSteps: 1 },
  'direct-advantage': { criticWarmup: 1 },
  tango: { warmup: 1 },
};

/** A specification of the method; the seed draws all settings that do not belong to the method. */
const specOf = (method: Method, seed: number): RunSpec => {
  const { id, sanity } = method;
  const draw = stream(seed, id);
  const isAdapter = draw.next() < 0.6;
  const optimizer: RunSpecInput['optimizer'] = {
    kind: draw.pick(['adamw', 'sgd', 'lion', 'muon'] as const),
    learningRate: 1e-3,
    schedule: draw.pick(['constant', 'linear', 'cosine'] as const),
    warmup: draw.int(3),
    weightDecay: draw.pick([0, 0.1]),
    clipNorm: draw.pick([0.1, 1]),
    dropout: draw.pick([0, 0, 0.2]),
  };
  return checkSpec({
    method: { id, params: { ...sanity?.params, ...sooner[id] } },
    optimizer,
    seed,
    models: {
      ...Object.fromEntries(Object.keys(toyModels(method)).map((name) => [name, fresh])),
      policy: isAdapter || draw.next() < 0.5 ? { kind: 'checkpoint', checkpointId: 'start' } : fresh,
    },
    ...(isGuided(method) && { rewards: [{ id: 'length' }] }),
    adapter: isAdapter
      ? {
          kind: 'lora',
          rank: 2,
          rsLora: draw.next() < 0.5,
          targets: [draw.pick(['all-linear', 'c_attn'])],
          base: draw.pick(['float32', 'float32', 'int8', 'int4', 'nf4'] as const),
        }
      : { kind: 'none' },
    task: { kind: 'world', id: sanity?.world ?? 'toy/copy', params: sanity?.worldParams ?? {} },
    sampling: { temperature: draw.pick([1, 0.7]), maxTokens: 4 },
    evaluation: { problems: 2, samples: 1, every: draw.int(3) },
    budget: {
      steps: 4,
      batch: draw.between(2, 4),
      microTokens: draw.pick([16, 48, 4096]),
      recompute: draw.next() < 0.4,
    },
  });
};

const metricsOf = (seen: readonly Seen[]): { readonly [name: string]: number }[] =>
  seen.flatMap((event) => (event.type === 'metrics' ? [event.values] : []));
const run = (
  spec: RunSpec,
  name: string,
  more: { attempt?: number; resumeFrom?: string; stopAfter?: number; on?: Device } = {},
) => runInto(more.on ?? one, spec, join(folder, spec.method.id, name), { resources, ...more });

/** Metrics of the first update, without the times. */
const firstUpdate = async (
  spec: RunSpec,
  name: string,
  budget: Partial<RunSpec['budget']>,
): Promise<[string, number][]> => {
  const { seen } = await run(
    {
      ...spec,
      budget: { ...spec.budget, steps: 1, ...budget },
      evaluation: { ...spec.evaluation, problems: 0 },
    },
    name,
  );
  return Object.entries(metricsOf(seen).find((values) => 'seconds/step' in values) ?? {}).filter(
    ([metric]) => !isMachineMetric(metric),
  );
};

/**
 * Control worlds take none of the combined settings: adapters, dropout, pretrained models. A probe by
 * instructions trains nothing, and its world cannot be read by the start of these runs.
 */
const onTexts = methods.filter(({ task }) => task !== 'control' && task !== 'instructions');

describe.each(onTexts.map((method, at) => [method.id, method, at] as const))('%s', (_id, method, at) => {
  const spec = specOf(method, 7);
  const { adapter, optimizer, budget } = spec;
  const inOneRun = at % 2 === 0;
  const again = async (): Promise<{ seen: Seen[] }> => {
    if (inOneRun) return run(spec, 'several', { on: several });
    const first = await run(spec, 'parts', { stopAfter: 2 });
    return first.outcome === 'stopped'
      ? run(spec, 'parts', { attempt: 2, resumeFrom: lastCheckpoint(first.seen) })
      : first;
  };

  test(
    'ends with finite metrics, and with the same bits ' +
      `${inOneRun ? 'when a run of the graph makes two updates' : 'when stopped and resumed'} ` +
      `(${adapter?.kind === 'lora' ? `adapter on ${adapter.base}` : 'whole model'}, ` +
      `${optimizer.kind}, micro-batches of ${budget.microTokens} tokens)`,
    async () => {
      expect((await needOf(spec, resources)).totalBytes).toBeGreaterThan(0);
      const whole = await run(spec, 'whole');
      expect(whole.outcome).toBe('done');
      for (const values of metricsOf(whole.seen))
        for (const [name, value] of Object.entries(values))
          expect(Number.isFinite(value), `${name} is ${value}`).toBe(true);
      const [a, b] = await Promise.all(
        [whole, await again()].map(({ seen }) => readCheckpoint(lastCheckpoint(seen))),
      );
      expect([trainedOf(b.model).flat, b.optimizer, b.state]).toEqual([
        trainedOf(a.model).flat,
        a.optimizer,
        a.state,
      ]);
    },
  );

  test('takes the same first step from a batch or its micro-batches, with activations kept or recomputed', async () => {
    const whole = await firstUpdate(spec, 'one part', { microTokens: 4096, recompute: false });
    const parts = new Map(await firstUpdate(spec, 'many parts', { microTokens: 16, recompute: true }));
    expect(whole.map(([name]) => name)).toEqual([...parts.keys()]);
    for (const [name, value] of whole)
      expect(
        Math.abs((parts.get(name) ?? NaN) - value),
        `${name}: ${value}, in parts ${parts.get(name)}`,
      ).toBeLessThanOrEqual(1e-3 * (Math.abs(value) + 1e-2));
  });
});
