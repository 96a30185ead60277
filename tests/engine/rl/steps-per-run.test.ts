/** Several updates in one run of a graph, compared with the same updates one by one. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMachineMetric } from '../../../engine/common/machine-metrics.ts';
import { stream } from '../../../engine/random/random.ts';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { createModel } from '../../../engine/models/model.ts';
import { Updater, type UpdaterPlan } from '../../../engine/rl/compute/updater.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { likelihood } from '../../../engine/rl/parts/objectives/likelihood.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { Device, openDevice } from '../../../engine/runtime/index.ts';
import { OptimizerSpec, type RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { worstError } from '../../support/tensors.ts';
import { noResources, recorder, runToy, toyModel, type Seen } from '../../support/toy-run.ts';

const K = 3;
const config = configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 24 }, 11);
let one: Device;
let several: Device;
beforeAll(async () => {
  [one, several] = [
    await openDevice({ id: 'cpu', threads: 1 }),
    await openDevice({ id: 'cpu', threads: 1, stepsPerRun: K }),
  ];
});
afterAll(() => Promise.all([one.close(), several.close()]));

/** Rows of at most this many tokens; a NaN `weight` makes loss and gradient NaN. */
const table = (seed: number, { count = 8, longest = 16, weight = 1 } = {}): Table => {
  const draw = stream(seed, 'rows');
  const rows = Array.from({ length: count }, () =>
    Int32Array.from({ length: longest - draw.int(4) }, () => draw.int(11)),
  );
  return {
    tokens: ragged(rows, Int32Array),
    mask: ragged(rows, Uint8Array, (row) => new Uint8Array(row.length).fill(1, 1)),
    weight: new Float64Array(rows.length).fill(weight),
    promptId: Float64Array.from(rows, (_, r) => r),
  };
};

/**
 * Takes the updates on a device, the given number of tables at a time. Returns their reports, the parameters,
 * the optimizer's arrays and the number of lowered graphs.
 */
const trained = async (
  device: Device,
  tables: readonly Table[],
  at: number,
  plan: Partial<UpdaterPlan> = {},
) => {
  const { parameters } = createModel(config, 5);
  const before = device.loweredGraphs;
  const learner = new Updater({
    device,
    graph: modelGraph(config),
    parameters,
    objective: likelihood({ average: 'token' }),
    optimizer: OptimizerSpec.parse({ learningRate: 0.01, schedule: 'cosine', weightDecay: 0.1 }),
    limits: { maxTokens: 24 },
    temperature: 1,
    steps: 10,
    ...plan,
  });
  const reports = [];
  for (let step = 0; step < tables.length; step += at)
    reports.push(...(await learner.updates(tables.slice(step, step + at), step)));
  return {
    reports,
    parameters: parameters.flat,
    state: learner.state,
    graphs: device.loweredGraphs - before,
  };
};

const expectSame = (
  found: Awaited<ReturnType<typeof trained>>,
  wanted: Awaited<ReturnType<typeof trained>>,
  bound: number,
): void => {
  expect(found.reports.map(({ skipped, learningRate }) => [skipped, learningRate])).toEqual(
    wanted.reports.map(({ skipped, learningRate }) => [skipped, learningRate]),
  );
  found.reports.forEach(({ loss, gradNorm, metrics, skipped }, at) => {
    expect(Object.keys(metrics)).toEqual(Object.keys(wanted.reports[at].metrics));
    if (!skipped)
      expect(
        worstError(
          [loss, gradNorm, ...Object.values(metrics)],
          [
            wanted.reports[at].loss,
            wanted.reports[at].gradNorm,
            ...Object.values(wanted.reports[at].metrics),
          ],
        ),
      ).toBeLessThanOrEqual(bound);
  });
  expect(worstError(found.parameters, wanted.parameters)).toBeLessThanOrEqual(bound);
  for (const [name, values] of Object.entries(wanted.state))
    expect(worstError(found.state[name], values), name).toBeLessThanOrEqual(bound);
};

describe('updates in one run', () => {
  const equal = Array.from({ length: 8 }, (_, at) => table(at));

  it.each<[string, Partial<UpdaterPlan>]>([
    ['AdamW', {}],
    ['with dropout', { dropout: { rate: 0.2, seed: 1, purpose: 'dropout of policy' } }],
    ['recomputing activations', { recompute: true }],
    ['Muon', { optimizer: OptimizerSpec.parse({ kind: 'muon', learningRate: 0.01 }) }],
    ['a scaled loss', { lossScaling: { initial: 1024, patience: 2 } }],
  ])('match single updates bit for bit: %s', async (_, plan) => {
    const single = await trained(one, equal, 1, plan);
    const together = await trained(several, equal, K, plan);
    expectSame(together, single, 0);
    // one graph of several steps, and one for the remaining two
    expect(together.graphs).toBe(2);
  });

  it('combine batches of different shapes', async () => {
    const unlike = [table(1), table(2, { count: 3, longest: 9 }), table(3, { count: 6 })];
    const together = await trained(several, unlike, K);
    expectSame(together, await trained(one, unlike, 1), 1e-6);
    expect(together.graphs).toBe(1);
  });

  it('ignore a non-finite one, and continue', async () => {
    const broken = [table(1), table(2, { weight: NaN }), table(3)];
    const together = await trained(several, broken, K);
    expect(together.reports.map(({ skipped }) => skipped)).toEqual([0, 1, 0]);
    expectSame(together, await trained(one, broken, 1), 0);
    expect(together.state['optimizer/step'][0]).toBe(2);
    const none = await trained(
      several,
      [1, 2, 3].map((seed) => table(seed, { weight: Infinity })),
      K,
    );
    expect(none.parameters).toEqual(createModel(config, 5).parameters.flat);
    expect(Object.values(none.state).every((values) => values.every((value) => value === 0))).toBe(true);
  });

  it('are taken one by one if a batch has several micro-batches or no rows', async () => {
    const tables = [table(1), table(2, { count: 20 }), table(3, { count: 0 })];
    expectSame(
      await trained(several, tables, K, { microBatchTokens: 128 }),
      await trained(one, tables, 1, { microBatchTokens: 128 }),
      0,
    );
  });

  it('are the default on CUDA and DirectML', () => {
    const stepsPerRun = (['cpu', 'webgpu', 'cuda', 'directml'] as const).map(
      (id) => new Device({ id, threads: 1 }).stepsPerRun,
    );
    expect(stepsPerRun).toEqual([1, 1, 8, 8]);
  });
});

describe('a run on a device that takes several updates at a time', () => {
  const ran = (device: Device, own: Partial<RunSpecInput>) =>
    runToy(
      device,
      checkSpec({
        method: { id: 'sft' },
        models: toyModel,
        task: { kind: 'world', id: 'toy/copy' },
        budget: { steps: 11, batch: 8 },
        sampling: { maxTokens: 4 },
        evaluation: { problems: 4, samples: 2, every: 6 },
        checkpoints: { every: 4 },
        optimizer: { learningRate: 0.01 },
        ...own,
      }),
    );
  /** All events of a run, without times and paths. */
  const eventsOf = (seen: readonly Seen[]) =>
    seen.flatMap((event): [step: number, what: unknown][] => {
      if (event.type === 'metrics')
        return [
          [
            event.step,
            Object.fromEntries(Object.entries(event.values).filter(([name]) => !isMachineMetric(name))),
          ],
        ];
      if (event.type === 'checkpoint') return [[event.step, event.checkpoint.hash]];
      return event.type === 'result' ? [[event.step, event.value]] : [];
    });

  it.each<[string, Partial<RunSpecInput>]>([
    ['sft', {}],
    ['dpo', { method: { id: 'dpo' }, task: { kind: 'world', id: 'toy/pairs' } }],
    ['grpo with three passes', { method: { id: 'grpo', params: { groupSize: 4, epochs: 3 } } }],
    ['grpo with two', { method: { id: 'grpo', params: { groupSize: 4, epochs: 2 } } }],
  ])('reports and saves the same as on any device: %s', async (_, own) => {
    expect(eventsOf(await ran(several, own))).toEqual(eventsOf(await ran(one, own)));
  });

  it('stops after the current run of updates, and continues from there', async () => {
    const outDir = temporaryFolder();
    const run = async (
      name: string,
      attempt: number,
      stopAfter = Infinity,
      resumeFrom?: string,
    ): Promise<{ path: string; step: number; optimizer: unknown }> => {
      const { seen, events } = recorder();
      const stop = new AbortController();
      const spec = checkSpec({
        method: { id: 'sft' },
        models: toyModel,
        task: { kind: 'world', id: 'toy/copy' },
        budget: { steps: 10, batch: 8 },
        sampling: { maxTokens: 4 },
        evaluation: { problems: 0 },
      });
      await runToEnd(
        {
          runId: name,
          attempt,
          spec,
          resources: noResources,
          outDir: join(outDir, name),
          ...(resumeFrom && { resumeFrom }),
        },
        {
          emit: async (body, at) => {
            await events.emit(body, at);
            if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
          },
        },
        stop.signal,
        several,
      );
      const saved = seen.findLast((event) => event.type === 'checkpoint');
      if (saved?.type !== 'checkpoint') throw new Error('nothing was saved');
      return {
        path: saved.checkpoint.path,
        step: saved.step,
        optimizer: (await readCheckpoint(saved.checkpoint.path)).optimizer,
      };
    };
    const stopped = await run('stopped', 1, 4);
    expect(stopped.step).toBe(6);
    expect((await run('stopped', 2, Infinity, stopped.path)).optimizer).toEqual(
      (await run('whole', 1)).optimizer,
    );
  });
});
