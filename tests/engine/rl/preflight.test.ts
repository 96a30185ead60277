import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMachineMetric } from '../../../engine/common/machine-metrics.ts';
import { checkSpec } from '../../../engine/index.ts';
import { measuredRun } from '../../../engine/rl/tools/measured-run.ts';
import { MemoryWatch } from '../../../engine/rl/run/memory-watch.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { needOf, preflight } from '../../../engine/rl/tools/preflight.ts';
import { Device, openDevice, Tally } from '../../../engine/runtime/index.ts';
import { matrixFlops, peakBytes } from '../../../engine/runtime/footprint.ts';
import { add, exp, input, loop, matmul, mul } from '../../../engine/tensor/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { noResources, recorder, runToy, sanitySpec, toyModel } from '../../support/toy-run.ts';

const x = input('x', { dtype: 'float32', shape: [64, 32] });
const w = input('w', { dtype: 'float32', shape: [32, 32] });
const KB = 1024;

describe('the footprint of a graph', () => {
  it('counts the arrays alive at the same time, and the arithmetic of its products', () => {
    const deep = exp(exp(exp(x)));
    expect(peakBytes([deep])).toBe(2 * 64 * 32 * 4);
    expect(peakBytes([deep], new Set([deep]))).toBe(2 * 64 * 32 * 4);
    expect(peakBytes([exp(x)], new Set([exp(x)]))).toBe(0);
    expect(matrixFlops([matmul(x, w)])).toBe(2 * 64 * 32 * 32);
    expect(matrixFlops([matmul(x, x, { transposeA: true })])).toBe(2 * 32 * 32 * 64);
  });

  it('includes the bodies of loops', () => {
    const { carried } = loop({
      trips: 5,
      carried: { y: x },
      body: ({ y }) => ({ carried: { y: exp(matmul(y, w)) } }),
    });
    expect(matrixFlops([carried.y])).toBe(5 * 2 * 64 * 32 * 32);
    expect(peakBytes([carried.y])).toBeGreaterThanOrEqual(3 * 64 * 32 * 4);
  });
});

describe('a counting device', () => {
  it('separates persistent arrays from those of one batch', async () => {
    const tally = new Tally();
    const device = new Device({ id: 'cpu', tally });
    const step = await device.compile({ name: 'step', outputs: { next: add(w, 1) }, inPlace: { next: 'w' } });
    const state = new Float32Array(32 * 32);
    const kept: number[] = [];
    for (let batch = 0; batch < 4; batch++) {
      tally.next();
      await step.run({ w: state });
      for (let part = 0; part < batch; part++) await step.run({ w: new Float32Array(32 * 32) });
      kept.push(tally.keptBytes / (4 * KB));
    }
    // the state, and twice the arrays of the largest batch: the previous batch's may still be allocated
    expect(kept).toEqual([1, 3, 5, 7]);
    device.hold(new Float32Array(32));
    expect(tally.keptBytes).toBe(28 * KB + 128);
  });

  it('runs nothing, creates no session, and counts kept and input arrays', async () => {
    const tally = new Tally((at) => at);
    const device = new Device({ id: 'cpu', tally });
    const step = await device.compile({
      name: 'step',
      outputs: { next: add(w, 1), y: mul(matmul(x, w), 2) },
      inPlace: { next: 'w' },
    });
    const state = new Float32Array(32 * 32);
    const { y } = await step.run({ x: new Float32Array(64 * 32), w: state });
    expect([y.length, state[0], device.cachedSessions]).toEqual([64 * 32, 0, 0]);
    expect(tally).toMatchObject({ keptBytes: 4 * KB, flops: 2 * 64 * 32 * 32 });
    expect(tally.transientBytes).toBeGreaterThanOrEqual(16 * KB);
    await step.run({ x: new Float32Array(64 * 32), w: state });
    expect([tally.flops, tally.keptBytes]).toEqual([2 * 2 * 64 * 32 * 32, 4 * KB]);
    const tokens = await device.compile({
      name: 'tokens',
      outputs: { t: add(input('i', { dtype: 'int32', shape: [3] }), 1) },
    });
    expect((await tokens.run({ i: new Int32Array(3) })).t).toEqual(Int32Array.of(0, 1, 2));
  });
});

const spec = (own: object = {}) =>
  checkSpec({
    method: { id: 'grpo' },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 4, batch: 8 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 8, samples: 2 },
    ...own,
  });

describe('the estimate of a run', () => {
  it.each(methods.filter(({ sanity }) => sanity).map((method) => [method.id, method] as const))(
    'exists for %s',
    async (_id, method) => {
      const need = await needOf(sanitySpec(method, 1), noResources);
      expect(need.parameters).toBeGreaterThan(100);
      expect(need.totalBytes).toBeGreaterThan(need.parameters * 4);
    },
  );

  it('grows with the batch, and includes moments and the initial model', async () => {
    const [small, large] = await Promise.all(
      [8, 64].map((batch) => needOf(spec({ budget: { steps: 4, batch } }), noResources)),
    );
    expect(large.totalBytes).toBeGreaterThan(small.totalBytes);
    expect(large.stepFlops / small.stepFlops).toBeGreaterThan(4);
    // the trained and the initial parameters, two moments, the count of updates
    expect(small.keptBytes).toBeGreaterThanOrEqual(4 * 4 * small.parameters);
  });

  it('rejects a tensor that exceeds the device’s limit, by its name', async () => {
    const wide = {
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 64, layers: 2, heads: 2, context: 24 },
          tokenizer: { kind: 'characters' },
        },
      },
    };
    process.env.WHETSTONE_TENSOR_MB = '0.064';
    try {
      const refused = preflight({ spec: spec({ ...wide, device: 'webgpu' }), resources: noResources });
      await expect(refused).rejects.toMatchObject({
        kind: 'out-of-memory',
        where: expect.any(String),
        message: expect.stringMatching(
          /^WebGPU holds at most 1 MB in one tensor; '.+' needs .+ float32\[.+\], of \d+ MB\.$/,
        ),
        hint: expect.stringMatching(/CPU.*adapter\.kind.*budget\.microTokens/),
      });
      expect(await needOf(spec(wide), noResources)).toMatchObject({ device: 'cpu' });
    } finally {
      delete process.env.WHETSTONE_TENSOR_MB;
    }
    expect((await needOf(spec({ ...wide, device: 'webgpu' }), noResources)).totalBytes).toBeGreaterThan(0);
  });

  it('suggests changes that make a run fit', async () => {
    const large = spec({ budget: { steps: 4, batch: 256 } });
    const { totalBytes } = await needOf(large, noResources);
    const found = await preflight({ spec: large, resources: noResources, limitBytes: totalBytes - 1e6 });
    expect(found).toMatchObject({ fits: false, dryRun: null });
    const best = found.remedies[0];
    expect(best).toMatchObject({ fits: true });
    const smaller = structuredClone(large) as unknown as Record<string, Record<string, unknown>>;
    expect(smaller[best.path[0]][best.path[1]]).toBe(best.from);
    smaller[best.path[0]][best.path[1]] = best.to;
    expect(
      (await preflight({ spec: checkSpec(smaller), resources: noResources, limitBytes: totalBytes - 1e6 }))
        .fits,
    ).toBe(true);
  });
});

describe('a run', () => {
  const start = (own: object = {}) => ({
    runId: 'one',
    attempt: 1,
    spec: spec(own),
    resources: noResources,
    outDir: temporaryFolder(),
  });

  it('records its estimate with the measured values', async () => {
    const { seen, events } = recorder();
    expect(
      await measuredRun(
        start(),
        events,
        new AbortController().signal,
        await openDevice({ id: 'cpu', threads: 1 }),
        true,
      ),
    ).toBe('done');
    const outcome = seen.find((event) => event.type === 'result' && event.kind === 'preflight');
    expect(outcome).toMatchObject({
      value: {
        estimatedBytes: expect.toSatisfy(Number.isFinite),
        measuredBytes: expect.toSatisfy(Number.isFinite),
        memoryError: expect.toSatisfy(Number.isFinite),
        secondsPerStep: expect.toSatisfy(Number.isFinite),
      },
    });
  });

  it('reads its data once for both the estimate and the run', async () => {
    const path = join(temporaryFolder(), 'rows.jsonl');
    const row = (answer: string) => ({
      promptId: answer,
      prompt: 'a',
      answer,
      reference: null,
      correct: null,
    });
    writeFileSync(path, ['b', 'c', 'd', 'e'].map((answer) => `${JSON.stringify(row(answer))}\n`).join(''));
    const { seen, events } = recorder();
    const outcome = await measuredRun(
      {
        ...start({
          method: { id: 'sft' },
          task: { kind: 'dataset', datasetId: 'd' },
          budget: { steps: 1, batch: 2 },
        }),
        resources: { ...noResources, datasets: { d: path } },
      },
      {
        emit: (body, at) => {
          // remove the file, so a second read would fail
          if (body.type === 'progress' && body.phase === 'estimating') rmSync(path, { force: true });
          return events.emit(body, at);
        },
      },
      new AbortController().signal,
      await openDevice({ id: 'cpu', threads: 1 }),
      true,
    );
    expect(outcome).toBe('done');
    expect(seen.some((event) => event.type === 'result' && event.kind === 'preflight')).toBe(true);
  });

  it.each(['dpo', 'bradley-terry', 'grpo'])(
    'trains bit for bit the same as without an estimate: %s',
    async (id) => {
      const method = methods.find((each) => each.id === id);
      if (!method) throw new Error(`There is no method '${id}'.`);
      const whole = sanitySpec(method, 1);
      const spec = { ...whole, budget: { ...whole.budget, steps: 4 } };
      const device = () => openDevice({ id: 'cpu', threads: 1 });
      const { seen, events } = recorder();
      const run = { runId: 'measured', attempt: 1, spec, resources: noResources, outDir: temporaryFolder() };
      await measuredRun(run, events, new AbortController().signal, await device(), true);
      const curves = (all: typeof seen) =>
        all.flatMap((event) =>
          event.type === 'metrics'
            ? [
                Object.entries(event.values).filter(
                  ([name]) => !isMachineMetric(name) && !name.includes('memory'),
                ),
              ]
            : [],
        );
      expect(curves(seen).flat().length).toBeGreaterThan(8);
      expect(curves(seen)).toEqual(curves(await runToy(await device(), spec)));
    },
  );

  it('that cannot fit is rejected before any computation, with changes that would make it fit', async () => {
    process.env.WHETSTONE_MEMORY_MB = '1';
    const { seen, events } = recorder();
    try {
      const run = measuredRun(
        start(),
        events,
        new AbortController().signal,
        await openDevice({ id: 'cpu', threads: 1 }),
        true,
      );
      await expect(run).rejects.toMatchObject({
        kind: 'out-of-memory',
        where: 'memory',
        message: expect.stringMatching(/needs about \d+ MB, and 1 MB are available/),
      });
    } finally {
      delete process.env.WHETSTONE_MEMORY_MB;
    }
    // it reports the progress of the estimate, and never starts the run
    expect(new Set(seen.map((event) => (event.type === 'progress' ? event.phase : event.type)))).toEqual(
      new Set(['opening', 'estimating', 'searching for a size that fits']),
    );
  });
});

it('measures the peak memory of a process', () => {
  const watch = new MemoryWatch();
  let large: Float64Array | null = new Float64Array(8e6).fill(1);
  watch.sample();
  expect(large[5]).toBe(1);
  large = null;
  expect(watch.peak() - watch.from).toBeGreaterThan(5e7);
});
