import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { openSession } from '../../../engine/rl/run/open-session.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { RunSpec, RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { found, noResources, recorder, toyModel, type Seen } from '../../support/toy-run.ts';

/** One token per byte, so it can encode the text of any world. */
const bytes: RunSpecInput['models'] = {
  policy: { ...toyModel.policy, tokenizer: { kind: 'bytes' } } as RunSpecInput['models']['policy'],
};

let device: Device;
let folder: string;
let resources: Resources;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-adapters-'));
  const start = checkSpec({
    name: 'start',
    method: { id: 'sft' },
    models: bytes,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 60, batch: 16 },
    sampling: { maxTokens: 4 },
    optimizer: { learningRate: 5e-3 },
    evaluation: { problems: 0 },
  });
  resources = { ...noResources, checkpoints: { start: pathOf((await run(start)).seen) } };
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

const run = async (
  spec: RunSpec,
  {
    attempt = 1,
    stopAfter = Infinity,
    resumeFrom,
    from = resources ?? noResources,
  }: { attempt?: number; stopAfter?: number; resumeFrom?: string; from?: Resources } = {},
): Promise<{ seen: Seen[]; outcome: string }> => {
  const { seen, events } = recorder();
  const stop = new AbortController();
  const emit: typeof events.emit = async (body, at) => {
    await events.emit(body, at);
    if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
  };
  return {
    outcome: await runToEnd(
      { runId: 'r', attempt, spec, resources: from, outDir: join(folder, spec.name), resumeFrom },
      { emit },
      stop.signal,
      device,
    ),
    seen,
  };
};

const pathOf = (seen: readonly Seen[]): string => {
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
  return saved.checkpoint.path;
};

const clean = { kind: 'world', id: 'toy/copy', params: { wrong: 0 } } as const;
const copy = { kind: 'world', id: 'toy/copy' } as const;
const pairs = { kind: 'world', id: 'toy/pairs' } as const;
const lora = { kind: 'lora', rank: 4, alpha: 8 } as const;
const adapterSpec = (
  name: string,
  spec: Pick<RunSpecInput, 'method' | 'task'> & Partial<RunSpecInput>,
): RunSpec =>
  checkSpec({
    name,
    models: { policy: { kind: 'checkpoint', checkpointId: 'start' } },
    adapter: lora,
    sampling: { maxTokens: 4 },
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 60, batch: 16 },
    evaluation: { problems: 40, samples: 2 },
    ...spec,
  });

describe('with an adapter', () => {
  test.each<[string, Parameters<typeof adapterSpec>[1], string, (before: number, after: number) => void]>([
    [
      'sft lowers the loss',
      { method: { id: 'sft' }, task: clean },
      'eval/loss',
      (before, after) => expect(after).toBeLessThan(0.7 * before),
    ],
    [
      'grpo raises the reward',
      {
        method: { id: 'grpo', params: { groupSize: 8, klWeight: 0 } },
        task: copy,
        budget: { steps: 40, batch: 16 },
      },
      'eval/pass_at_1',
      (before, after) => expect(after).toBeGreaterThan(before + 0.15),
    ],
    [
      'dpo learns to tell chosen from rejected',
      { method: { id: 'dpo' }, task: pairs },
      'preference-evaluation/accuracy',
      (_before, after) => expect(after).toBeGreaterThan(0.85),
    ],
    [
      'a reward model learns to tell chosen from rejected',
      { method: { id: 'bradley-terry' }, task: pairs },
      'reward-inspection/accuracy',
      (_before, after) => expect(after).toBeGreaterThan(0.8),
    ],
  ])('%s, and the base model stays unchanged', async (name, spec, metric, holds) => {
    const before = await run(
      adapterSpec(`${name}-before`, {
        ...spec,
        optimizer: { learningRate: 0 },
        budget: { steps: 1, batch: 4 },
      }),
    );
    const after = await run(adapterSpec(name, spec));
    holds(found(before.seen, metric), found(after.seen, metric));
    const { model } = await readCheckpoint(pathOf(after.seen));
    const start = await readCheckpoint(resources.checkpoints.start);
    expect(model.adapter?.base.path).toBe(resources.checkpoints.start);
    for (const { name: slot } of start.model.parameters.slots)
      expect(model.parameters.view(slot)).toEqual(start.model.parameters.view(slot));
  });

  test('micro-batches update the adapter as the whole batch does', async () => {
    const spec = (name: string, microTokens: number) =>
      adapterSpec(name, { method: { id: 'sft' }, task: clean, budget: { steps: 5, batch: 16, microTokens } });
    const trained = async (name: string, microTokens: number) =>
      (await readCheckpoint(pathOf((await run(spec(name, microTokens))).seen))).model.adapter!.parameters
        .flat;
    const [whole, parts] = [await trained('at once', 4096), await trained('in parts', 64)];
    parts.forEach((x, at) => expect(Math.abs(x - whole[at])).toBeLessThan(1e-4));
    expect(whole.some((x) => x !== 0)).toBe(true);
  });

  test('a stopped and resumed run ends with the same bits as an uninterrupted one', async () => {
    const spec = (name: string) =>
      adapterSpec(name, {
        method: { id: 'grpo', params: { groupSize: 4, epochs: 2 } },
        task: copy,
        budget: { steps: 8, batch: 6 },
      });
    const whole = await run(spec('whole'));
    const first = await run(spec('parts'), { stopAfter: 4 });
    expect(first.outcome).toBe('stopped');
    const second = await run(spec('parts'), { attempt: 2, resumeFrom: pathOf(first.seen) });
    const [a, b] = [await readCheckpoint(pathOf(whole.seen)), await readCheckpoint(pathOf(second.seen))];
    expect(b.model.adapter?.parameters.flat).toEqual(a.model.adapter?.parameters.flat);
    expect([b.optimizer, b.state]).toEqual([a.optimizer, a.state]);
    expect(
      Object.values(a.optimizer ?? {}).every(
        ({ length }) => length <= (a.model.adapter?.parameters.size ?? 0),
      ),
    ).toBe(true);
  });

  test('policy, reference and sampler share one array', async () => {
    const session = await openSession(
      {
        runId: 'r',
        attempt: 1,
        spec: adapterSpec('one', { method: { id: 'grpo' }, task: copy }),
        resources,
        outDir: folder,
      },
      device,
    );
    const {
      main,
      initial: { live: initial },
    } = session.roles;
    const base = main.model.parameters.flat.buffer;
    expect(initial.parameters.size).toBe(0);
    for (const live of [main.live, initial])
      for (const array of Object.values(live.base?.inputs.feeds ?? {})) expect(array.buffer).toBe(base);
    expect(main.trained.size).toBeLessThan(main.model.parameters.size / 2);
    expect(Object.values(main.learner?.state ?? {}).every(({ length }) => length <= main.trained.size)).toBe(
      true,
    );
  });
});

test('a run continues training the adapter of its starting checkpoint, or merges it into the model', async () => {
  const first = await run(
    adapterSpec('first', { method: { id: 'sft' }, task: copy, budget: { steps: 5, batch: 4 } }),
  );
  const path = pathOf(first.seen);
  const from = { ...resources, checkpoints: { ...resources.checkpoints, adapter: path } };
  const models = { policy: { kind: 'checkpoint', checkpointId: 'adapter' } } as const;
  const short = {
    method: { id: 'sft' },
    task: copy,
    budget: { steps: 1, batch: 4 },
    models,
    optimizer: { learningRate: 0 },
  } as const;
  const { model } = await readCheckpoint(path);
  const on = await readCheckpoint(pathOf((await run(adapterSpec('on', short), { from })).seen));
  expect(on.model.adapter?.parameters.flat).toEqual(model.adapter?.parameters.flat);
  expect(on.model.adapter?.base.path).toBe(resources.checkpoints.start);
  const whole = await readCheckpoint(
    pathOf((await run(adapterSpec('whole model', { ...short, adapter: { kind: 'none' } }), { from })).seen),
  );
  expect(whole.model.adapter).toBeUndefined();
  expect(whole.model.parameters.flat).not.toEqual(model.parameters.flat);
  await expect(
    run(adapterSpec('other', { ...short, adapter: { ...lora, rank: 2 } }), { from }),
  ).rejects.toMatchObject({ kind: 'conflict' });
});

test('rejects an adapter on random weights', () => {
  expect(() => adapterSpec('random', { method: { id: 'sft' }, task: copy, models: toyModel })).toThrow(
    /random weights/,
  );
});

describe.each(['int8', 'int4', 'nf4'] as const)('on a base in %s', (base) => {
  const few = (name: string, spec: Parameters<typeof adapterSpec>[1] & { rank?: number }): RunSpec =>
    adapterSpec(`${base} ${name}`, { adapter: { ...lora, base }, ...spec });

  test('sft lowers the loss; policy, reference and sampler share the quantized base', async () => {
    const before = await run(
      few('before', {
        method: { id: 'sft' },
        task: clean,
        optimizer: { learningRate: 0 },
        budget: { steps: 1, batch: 4 },
      }),
    );
    const after = await run(few('after', { method: { id: 'sft' }, task: clean }));
    expect(found(after.seen, 'eval/loss')).toBeLessThan(0.7 * found(before.seen, 'eval/loss'));
    const session = await openSession(
      {
        runId: 'r',
        attempt: 1,
        spec: few('one', { method: { id: 'grpo' }, task: copy }),
        resources,
        outDir: folder,
      },
      device,
    );
    const {
      main,
      initial: { live: initial },
    } = session.roles;
    const { quantized } = main.model;
    for (const live of [main.live, initial])
      for (const [name, array] of Object.entries(live.base?.inputs.feeds ?? {}))
        if (name.endsWith('/codes')) expect(array.buffer).toBe(quantized?.codes.buffer);
    expect(quantized?.format).toBe(base);
  });

  test('a stopped and resumed run ends with the same bits as an uninterrupted one', async () => {
    const spec = (name: string) =>
      few(name, {
        method: { id: 'grpo', params: { groupSize: 4 } },
        task: copy,
        budget: { steps: 6, batch: 4 },
      });
    const whole = await run(spec('whole'));
    const first = await run(spec('parts'), { stopAfter: 3 });
    const second = await run(spec('parts'), { attempt: 2, resumeFrom: pathOf(first.seen) });
    const [a, b] = [await readCheckpoint(pathOf(whole.seen)), await readCheckpoint(pathOf(second.seen))];
    expect(b.model.adapter?.parameters.flat).toEqual(a.model.adapter?.parameters.flat);
    expect(b.model.quantized?.hash).toBe(a.model.quantized?.hash);
    expect([b.optimizer, b.state]).toEqual([a.optimizer, a.state]);
  });
});

test('a run can continue from a quantized base, or train the whole model in float32, but not use another base', async () => {
  const int4 = { ...lora, base: 'int4' } as const;
  const first = await run(
    adapterSpec('int4 first', {
      method: { id: 'sft' },
      task: copy,
      adapter: int4,
      budget: { steps: 5, batch: 4 },
    }),
  );
  const from = { ...resources, checkpoints: { ...resources.checkpoints, adapter: pathOf(first.seen) } };
  const short = {
    method: { id: 'sft' },
    task: copy,
    budget: { steps: 1, batch: 4 },
    models: { policy: { kind: 'checkpoint', checkpointId: 'adapter' } },
    optimizer: { learningRate: 0 },
  } as const;
  const [{ model }, on] = [
    await readCheckpoint(from.checkpoints.adapter),
    await readCheckpoint(
      pathOf((await run(adapterSpec('int4 on', { ...short, adapter: int4 }), { from })).seen),
    ),
  ];
  expect(on.model.adapter?.parameters.flat).toEqual(model.adapter?.parameters.flat);
  const whole = await readCheckpoint(
    pathOf((await run(adapterSpec('int4 whole', { ...short, adapter: { kind: 'none' } }), { from })).seen),
  );
  expect(whole.model.quantized ?? whole.model.adapter).toBeUndefined();
  await expect(run(adapterSpec('int4 other', { ...short, adapter: lora }), { from })).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('int4'),
  });
});

test('a quantized base requires an adapter and the CPU', () => {
  expect(() =>
    checkSpec({
      ...adapterSpec('x', { method: { id: 'sft' }, task: copy }),
      adapter: { kind: 'none', base: 'int4' },
    }),
  ).toThrow(/base/);
  expect(() =>
    adapterSpec('gpu', {
      method: { id: 'sft' },
      task: copy,
      adapter: { ...lora, base: 'int8' },
      device: 'webgpu',
    }),
  ).toThrow(/CPU only/);
});
