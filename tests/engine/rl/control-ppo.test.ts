import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { networkConfigOf } from '../../../engine/models/config.ts';
import { createModel } from '../../../engine/models/model.ts';
import { orthogonalize } from '../../../engine/models/orthogonal.ts';
import { normals } from '../../../engine/random/random.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { sum, weighted } from '../../../engine/rl/kernel/objective.ts';
import {
  appendRows,
  applyChange,
  gatherTable,
  observedOf,
  ragged,
  type Table,
} from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { minibatchOf } from '../../../engine/rl/run/minibatches.ts';
import { packTable, unpackTable } from '../../../engine/rl/run/pack.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec, type RunSpec } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { formulaModel } from '../../support/families.ts';
import { expectSameBits } from '../../support/stopped.ts';
import { lastCheckpoint, noResources, runInto, toyModel } from '../../support/toy-run.ts';

interface Oracle {
  readonly hidden: readonly number[];
  readonly gamma: number;
  readonly lambda: number;
  readonly clip: number;
  readonly valueClip: number;
  readonly valueWeight: number;
  readonly entropyWeight: number;
  readonly actions: readonly (readonly number[])[];
  readonly rewards: readonly (readonly number[])[];
  readonly after: readonly number[];
  readonly observed: readonly (readonly (readonly number[])[])[];
  readonly behaviorLogp: readonly (readonly number[])[];
  readonly values: readonly (readonly number[])[];
  readonly advantages: readonly (readonly number[])[];
  readonly returns: readonly (readonly number[])[];
  readonly cases: Readonly<
    Record<
      'tanh' | 'relu',
      {
        readonly logp: readonly number[];
        readonly values: readonly number[];
        readonly loss: number;
        readonly gradient: Readonly<Record<string, readonly number[]>>;
      }
    >
  >;
}
const oracle = JSON.parse(
  readFileSync(new URL('../../support/oracles/network.json', import.meta.url), 'utf8'),
) as Oracle;

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-control-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const behind = (rows: readonly (readonly number[])[]) => rows.map((row) => [0, ...row]);

/** The pieces of the oracle, as the sampler would make them. */
const pieces = (): Table => ({
  tokens: {
    ...ragged(behind(oracle.actions), Int32Array),
    observed: observedOf(
      oracle.observed.map((row) => Float32Array.from(row.flat())),
      3,
    ),
  },
  mask: ragged(
    oracle.actions.map((row) => [0, ...row.map(() => 1)]),
    Uint8Array,
  ),
  weight: Float64Array.of(1, 1),
  behaviorLogp: ragged(behind(oracle.behaviorLogp), Float32Array),
  values: ragged(behind(oracle.values), Float32Array),
  'credit/earned': ragged(behind(oracle.rewards), Float64Array),
  'row/after': Float64Array.from(oracle.after),
  'row/terminal': Float64Array.of(0, 1),
  'row/finished': Float64Array.of(0, 1),
});

/** The pieces behind the stages of the method, as far as given. */
const behindStages = async (whiten: boolean, single: boolean): Promise<Table> => {
  let table = pieces();
  const stages = [
    part.bootstrapped(oracle),
    part.gae(oracle),
    part.whiten({ on: whiten }),
    ...(single ? [part.singleSteps('behaviorLogp', 'values', 'advantage', 'returns')] : []),
  ];
  for (const stage of stages)
    table = applyChange(table, stage.id, (await stage.run(table as never, {} as never)) as never);
  return table;
};

test('credits steps with the value behind a piece that goes on, as the definition does', async () => {
  const { advantage, returns } = (await behindStages(false, false)) as Record<
    string,
    { values: Float64Array }
  >;
  behind(oracle.advantages)
    .flat()
    .forEach((value, at) => expect(advantage.values[at]).toBeCloseTo(value, 6));
  behind(oracle.returns)
    .flat()
    .forEach((value, at) => expect(returns.values[at]).toBeCloseTo(value, 6));
});

describe.each(['tanh', 'relu'] as const)('a network with %s', (activation) => {
  const found = oracle.cases[activation];
  const model = () => formulaModel(networkConfigOf({ hidden: oracle.hidden, activation }, 3, 3));

  test('has the log-probabilities and values of PyTorch, acting and learning', async () => {
    const live = liveModel(device, model());
    const { tokens } = pieces() as { tokens: Parameters<typeof live.logp>[0] };
    const [logp, values] = [await live.logp(tokens, 1), await live.each('values', tokens, 1)];
    const places = [1, 2, 3, 5, 6];
    places.forEach((at, step) => {
      expect(logp.values[at]).toBeCloseTo(found.logp[step], 5);
      expect(values.values[at]).toBeCloseTo(found.values[step], 5);
    });
    const seen = Float32Array.from(oracle.observed.flatMap((row) => row.slice(0, -1)).flat());
    const acted = await live.act(seen, 5, 1);
    found.values.forEach((value, step) => expect(acted.values[step]).toBeCloseTo(value, 5));
    oracle.actions.flat().forEach((action, step) => {
      const logits = [...acted.logits.subarray(3 * step, 3 * step + 3)];
      const total = Math.log(logits.reduce((all, logit) => all + Math.exp(logit), 0));
      expect(logits[action] - total).toBeCloseTo(found.logp[step], 5);
    });
  });

  test.each([false, true])('has the loss and the gradient of PyTorch; steps apart: %s', async (single) => {
    const { config, parameters } = model();
    const updater = new Updater({
      device,
      graph: modelGraph(config),
      parameters,
      objective: sum(
        part.clippedSurrogate({ clipLow: oracle.clip, clipHigh: oracle.clip, average: 'token' }),
        weighted(oracle.valueWeight, part.clippedValue({ clip: oracle.valueClip })),
        weighted(oracle.entropyWeight, part.entropyBonus),
      ),
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 8 },
      temperature: 1,
      steps: 1,
    });
    const { loss, gradient } = await updater.gradient(await behindStages(true, single));
    expect(loss).toBeCloseTo(found.loss, 5);
    for (const { name, offset, size } of parameters.slots)
      found.gradient[name].forEach((value, at) => {
        expect(gradient.subarray(offset, offset + size)[at], `${name} ${at}`).toBeCloseTo(value, 5);
      });
  });
});

test.each([
  [5, 3],
  [3, 5],
  [4, 4],
])('orthogonal weights of %i × %i are orthonormal on the shorter side', (rows, columns) => {
  const values = new Float32Array(rows * columns);
  normals(values, 1, 'parameters', 0);
  orthogonalize(values, rows, columns);
  const vectors =
    columns <= rows
      ? Array.from({ length: columns }, (_, c) =>
          Array.from({ length: rows }, (__, r) => values[r * columns + c]),
        )
      : Array.from({ length: rows }, (_, r) => [...values.subarray(r * columns, (r + 1) * columns)]);
  vectors.forEach((a, i) =>
    vectors.forEach((b, j) =>
      expect(a.reduce((total, x, k) => total + x * b[k], 0)).toBeCloseTo(i === j ? 1 : 0, 6),
    ),
  );
});

test('a new network begins almost indifferent between actions', async () => {
  const live = liveModel(
    device,
    createModel(networkConfigOf({ hidden: [64, 64], activation: 'tanh' }, 4, 2), 3),
  );
  const { logits } = await live.act(Float32Array.of(0.5, -1, 0.2, 2), 1, 1);
  expect(Math.abs(logits[0] - logits[1])).toBeLessThan(0.05);
});

test('rows keep what was observed when they move, are joined and are saved', () => {
  const { tokens } = pieces();
  const table: Table = { tokens };
  const turned = gatherTable(table, Uint32Array.of(1, 0));
  const joined = appendRows(turned, table);
  const saved = unpackTable(JSON.parse(JSON.stringify(packTable(joined))) as never);
  const seen = oracle.observed.map((row) => Array.from(Float32Array.from(row.flat())));
  const column = saved.tokens as { observed: { values: Float32Array; width: number } };
  expect([...column.observed.values]).toEqual([...seen[1], ...seen[0], ...seen[0], ...seen[1]]);
  expect(column.observed.width).toBe(3);
});

test('an epoch’s minibatches are the batch’s rows, once each, in another order in each epoch', () => {
  const table: Table = { 'row/n': Float64Array.from({ length: 10 }, (_, r) => r) };
  const role = { name: 'policy', draws: 3, role: { minibatches: 3 } } as never;
  const passes = Array.from({ length: 6 }, (_, pass) => [
    ...(minibatchOf(role, table, pass, 1)['row/n'] as Float64Array),
  ]);
  const epochs = [passes.slice(0, 3).flat(), passes.slice(3).flat()];
  for (const epoch of epochs)
    expect(epoch.toSorted((a, b) => a - b)).toEqual([...(table['row/n'] as Float64Array)]);
  expect(epochs[0]).not.toEqual(epochs[1]);
  expect(passes.map(({ length }) => length)).toEqual([3, 4, 3, 3, 4, 3]);
});

const small = (more: object = {}): RunSpec =>
  checkSpec({
    method: { id: 'control-ppo', params: { copies: 4, epochs: 2, minibatches: 2 } },
    models: { policy: { kind: 'network', hidden: [8] } },
    task: { kind: 'control', id: 'control/cart-pole' },
    budget: { steps: 24, batch: 64 },
    evaluation: { problems: 5 },
    checkpoints: { every: 8 },
    seed: 4,
    ...more,
  });
test('a run that was stopped goes on to the same bits, copies and episodes included', async () => {
  const { names } = await expectSameBits(device, small(), { folder, stopAfter: 9 });
  expect(names).toEqual(expect.arrayContaining(['return/mean', 'eval/return', 'eval/length']));
});

test('a checkpoint starts another run, and fits no other world and no text', async () => {
  const { seen } = await runInto(device, small({ budget: { steps: 4, batch: 64 } }), join(folder, 'start'));
  const resources = { ...noResources, checkpoints: { c: lastCheckpoint(seen) } };
  const models = { policy: { kind: 'checkpoint', checkpointId: 'c' } } as const;
  const after = await runInto(
    device,
    small({ models, budget: { steps: 0, batch: 64 } }),
    join(folder, 'again'),
    {
      resources,
    },
  );
  const [own, start] = await Promise.all(
    [after, { seen }].map((run) => readCheckpoint(lastCheckpoint(run.seen))),
  );
  expect(own.model.config).toEqual(networkConfigOf({ hidden: [8], activation: 'tanh' }, 4, 2));
  expect(own.model.parameters.flat).toEqual(start.model.parameters.flat);
  const where = 'models.policy.checkpointId';
  const acrobot = small({ models, task: { kind: 'control', id: 'control/acrobot' } });
  expect(await rejected(runInto(device, acrobot, join(folder, 'other'), { resources }))).toMatchObject({
    kind: 'invalid-input',
    where,
  });
  const sft = checkSpec({ method: { id: 'sft' }, models, task: { kind: 'world', id: 'toy/copy' } });
  expect(await rejected(runInto(device, sft, join(folder, 'text'), { resources }))).toMatchObject({
    kind: 'invalid-input',
    where,
  });
});

test.each([
  ['a model on text', { models: toyModel }, 'models.policy.kind'],
  ['an unknown world', { task: { kind: 'control', id: 'control/moon' } }, 'task.id'],
  ['a world of texts', { task: { kind: 'world', id: 'toy/copy' } }, 'task'],
  ['rewards', { rewards: [{ id: 'length' }] }, 'rewards'],
  ['a world of texts to evaluate on', { evaluation: { world: { id: 'toy/copy' } } }, 'evaluation.world'],
  ['an adapter', { adapter: { kind: 'lora', rank: 2 } }, 'adapter'],
  ['numbers as actions', { task: { kind: 'control', id: 'control/pendulum' } }, 'task.id'],
  ['top-k, which no action is drawn by', { sampling: { topK: 1 } }, 'sampling.topK'],
  ['dropout', { optimizer: { dropout: 0.5 } }, 'optimizer.dropout'],
  ['matrices of Muon', { optimizer: { kind: 'muon' } }, 'optimizer.kind'],
  [
    'more minibatches than steps',
    { method: { id: 'control-ppo', params: { copies: 4, minibatches: 128 } } },
    'method.params.minibatches',
  ],
  ['copies that do not share a batch', { budget: { steps: 4, batch: 66 } }, 'budget.batch'],
])('refuses %s in a control world', (_, more, where) =>
  expect(caught(() => small(more))).toMatchObject({ kind: 'invalid-input', where }),
);

test('refuses a network for texts', () => {
  const spec = {
    method: { id: 'sft' },
    models: { policy: { kind: 'network' } },
    task: { kind: 'world', id: 'toy/copy' },
  };
  expect(caught(() => checkSpec(spec))).toMatchObject({ kind: 'invalid-input', where: 'models.policy.kind' });
});
