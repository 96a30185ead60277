import { afterAll, describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { configOf } from '../../../engine/models/config.ts';
import { createModel } from '../../../engine/models/model.ts';
import { maskOf, withDropout, type Dropout } from '../../../engine/rl/compute/dropout.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { likelihood } from '../../../engine/rl/parts/objectives/likelihood.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { droppable, evaluate, grad, input, mul, sum, type Expr } from '../../../engine/tensor/index.ts';
import { centralDifferences, randomFloats, worstError } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const { config, parameters } = createModel(
  configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 24 }, 11),
  5,
);
const draw = stream(8, 'rows');
const rows = Array.from({ length: 20 }, () =>
  Int32Array.from({ length: 3 + draw.int(20) }, () => draw.int(11)),
);
const table: Table = {
  tokens: ragged(rows, Int32Array),
  mask: ragged(rows, Uint8Array, (row) => new Uint8Array(row.length).fill(1, 1)),
  weight: new Float64Array(rows.length).fill(1),
  promptId: Float64Array.from(rows, (_, r) => r),
};
const some: Dropout = { rate: 0.3, seed: 4, purpose: 'dropout of policy' };
const learner = (plan: { dropout?: Dropout; microBatchTokens?: number; recompute?: boolean }) =>
  new Updater({
    device,
    graph: modelGraph(config),
    parameters,
    objective: likelihood({ average: 'token' }),
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 24 },
    temperature: 1,
    steps: 10,
    ...plan,
  });

describe('a dropout mask', () => {
  const rect = { rows: Int32Array.of(3, 0), R: 4, T: 8 };
  const name = 'dropout/0/mlp';
  test('keeps the expected share, and nothing of padding rows', () => {
    const mask = maskOf(name, 4 * 8 * 1000, rect, some, 2);
    expect(mask.subarray(0, 16_000).reduce((a, b) => a + b, 0) / 16_000).toBeCloseTo(0.7, 1);
    expect(mask.subarray(16_000).some((kept) => kept > 0)).toBe(false);
  });
  test('depends on the row, not on its position or the length of its micro-batch', () => {
    const here = maskOf(name, 4 * 8 * 6, rect, some, 2);
    const there = maskOf(name, 2 * 16 * 6, { rows: Int32Array.of(0, 7), R: 2, T: 16 }, some, 2);
    expect(here.subarray(48, 96)).toEqual(there.subarray(0, 48));
  });
  test('differs between layers, steps, rows and seeds', () => {
    const masks = [
      maskOf(name, 192, rect, some, 2),
      maskOf('dropout/1/mlp', 192, rect, some, 2),
      maskOf(name, 192, rect, some, 3),
      maskOf(name, 192, rect, { ...some, seed: 5 }, 2),
    ].map((mask) => mask.join(''));
    expect(new Set(masks).size).toBe(4);
    expect(masks[0].slice(0, 48)).not.toBe(masks[0].slice(48, 96));
  });
});

test('scales kept values and their gradients, and sets dropped values to 0', () => {
  const x = input('x', { dtype: 'float32', shape: [2, 4] });
  const loss = (y: Expr) => sum(mul(mul(y, y), input('w', x.type)));
  const [y, dropped] = withDropout([droppable(x, 'here'), loss(droppable(x, 'here'))], 0.25);
  const mask = [1, 0, 1, 1, 0, 1, 1, 1];
  const feeds = { x: randomFloats(1, [2, 4]), w: randomFloats(2, [2, 4]), 'dropout/here': mask };
  expect(
    worstError(
      evaluate([y], feeds)[0].data,
      mask.map((kept, at) => (kept * feeds.x[at]) / 0.75),
    ),
  ).toBeLessThan(1e-7);
  const slope = centralDifferences((at) => evaluate([dropped], { ...feeds, x: at })[0].data[0], feeds.x);
  expect(worstError(evaluate(grad(dropped, [x]), feeds)[0].data, slope)).toBeLessThan(1e-6);
});

test('a batch equals the sum of its micro-batches, also with dropout, and a step repeats bit for bit', async () => {
  const whole = await learner({ dropout: some }).gradient(table, 3);
  const parts = await learner({ dropout: some, microBatchTokens: 64 }).gradient(table, 3);
  expect(worstError(parts.gradient, whole.gradient)).toBeLessThan(1e-6);
  expect(await learner({ dropout: some }).gradient(table, 3)).toEqual(whole);
  expect((await learner({ dropout: some }).gradient(table, 4)).loss).not.toBe(whole.loss);
  expect((await learner({}).gradient(table, 3)).loss).not.toBe(whole.loss);
});

test('a rate of 0 disables dropout, and inference never uses it', async () => {
  const without = await learner({}).gradient(table);
  expect(await learner({ dropout: { ...some, rate: 0 } }).gradient(table)).toEqual(without);
  const live = new LiveModel(new RowPrograms(device, modelGraph(config)), parameters);
  const logp = await live.logp(table.tokens as never, 1);
  const total = logp.values.reduce((a, b) => a + b, 0);
  const count = rows.reduce((a, row) => a + row.length - 1, 0);
  expect(-total / count).toBeCloseTo(without.loss, 5);
});

describe('recomputing activations', () => {
  test.each([
    ['without dropout', {}],
    ['with dropout', { dropout: some }],
    ['in parts', { microBatchTokens: 64 }],
  ])('changes no value, %s', async (_, plan) => {
    const kept = await learner(plan).gradient(table, 1);
    const again = await learner({ ...plan, recompute: true }).gradient(table, 1);
    expect(again.loss).toBe(kept.loss);
    expect(worstError(again.gradient, kept.gradient)).toBeLessThan(1e-6);
  });
});

test.each([
  ['whole', 4096],
  ['in parts', 64],
])('scaling the loss changes no update, %s', async (_, microBatchTokens) => {
  const update = async (lossScaling?: object) => {
    const own = createModel(config, 5);
    const trained = new Updater({
      device,
      graph: modelGraph(config),
      parameters: own.parameters,
      objective: likelihood({ average: 'token' }),
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 24 },
      temperature: 1,
      steps: 10,
      microBatchTokens,
      lossScaling,
    });
    const { gradient } = await trained.gradient(table);
    const reports = [await trained.update(table, 0), await trained.update(table, 1)];
    return { flat: own.parameters.flat, gradient, reports };
  };
  const [plain, scaled] = [await update(), await update({})];
  expect(scaled.reports.map(({ loss }) => loss)[0]).toBe(plain.reports[0].loss);
  expect(
    worstError(
      scaled.reports.map(({ gradNorm }) => gradNorm),
      plain.reports.map(({ gradNorm }) => gradNorm),
    ),
  ).toBeLessThan(1e-6);
  expect(worstError(scaled.gradient, plain.gradient)).toBeLessThan(1e-6);
  expect(worstError(scaled.flat, plain.flat)).toBeLessThan(1e-5);
});
