import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { transformerOf } from '../../../engine/models/families/index.ts';
import { ParameterSet } from '../../../engine/models/parameters.ts';
import { packRows } from '../../../engine/rl/compute/packing.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { sum, weighted, type Objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { centered } from '../../../engine/rl/parts/credit/center-by-group.ts';
import { broadcast, gatherTable, ragged, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import { packTable, unpackTable } from '../../../engine/rl/run/pack.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const reward = fc.double({ min: -10, max: 10, noNaN: true });
const sd = fc.constantFrom('sample' as const, 'population' as const, 'none' as const);

test('advantages sum to zero in every group, for any divisor', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), reward), { minLength: 1, maxLength: 24 }),
      sd,
      (rows, divisor) => {
        const groups = Float64Array.from(rows, ([group]) => group);
        const advantages = centered(
          Float64Array.from(rows, ([, r]) => r),
          groups,
          new Float64Array(rows.length).fill(1),
          divisor,
        );
        for (const group of new Set(groups)) {
          const own = [...advantages].filter((_, r) => groups[r] === group);
          expect(Math.abs(own.reduce((a, b) => a + b, 0))).toBeLessThan(
            1e-8 * Math.max(1, ...own.map(Math.abs)) * own.length,
          );
        }
      },
    ),
  );
});

test('advantages follow their rows when a group is shuffled', () => {
  fc.assert(
    fc.property(fc.array(reward, { minLength: 2, maxLength: 12 }), sd, (rewards, divisor) => {
      const order = rewards.map((_, r) => r).reverse();
      const of = (values: readonly number[]) =>
        centered(
          Float64Array.from(values),
          new Float64Array(values.length),
          new Float64Array(values.length).fill(1),
          divisor,
        );
      const [plain, turned] = [of(rewards), of(order.map((r) => rewards[r]))];
      order.forEach((r, at) => expect(turned[at]).toBeCloseTo(plain[r], 9));
    }),
  );
});

test('every row is in exactly one micro-batch that is long enough, and rows of a unit stay adjacent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 70 }),
      fc.constantFrom(1, 2, 3),
      fc.integer({ min: 64, max: 2048 }),
      (lengths, unit, tokens) => {
        const whole = [...lengths, ...new Array<number>((unit - (lengths.length % unit)) % unit).fill(5)];
        const cuts = packRows(whole, { unit, tokens, context: 60 });
        expect(cuts.flatMap(({ rows }) => [...rows]).sort((a, b) => a - b)).toEqual(whole.map((_, r) => r));
        for (const { rows, R, T } of cuts) {
          expect(rows.length).toBeLessThanOrEqual(R);
          expect(Math.log2(R / unit) % 1).toBe(0);
          expect(Math.max(...[...rows].map((r) => whole[r]))).toBeLessThanOrEqual(T);
          for (let at = 0; at < rows.length; at += unit)
            expect([...rows.subarray(at, at + unit)]).toEqual(
              Array.from({ length: unit }, (_, i) => Math.floor(rows[at] / unit) * unit + i),
            );
        }
      },
    ),
  );
});

test('a table survives packing and unpacking', () => {
  const table: Table = {
    weight: Float64Array.of(1, 2),
    tokens: ragged([[1, 2], [3]], Int32Array),
    completion: ['a', 'b'],
    mask: ragged([[0, 1], [1]], Uint8Array),
  };
  expect(unpackTable(JSON.parse(JSON.stringify(packTable(table))) as ReturnType<typeof packTable>)).toEqual(
    table,
  );
});

const config = {
  family: 'gpt2',
  width: 16,
  layers: 1,
  heads: 2,
  context: 24,
  vocabulary: 11,
  head: 'next-token',
  pad: 0,
  layerNormEpsilon: 1e-5,
} as const;
const parameters = () => ParameterSet.initialize(transformerOf(config).parameters(), 5);
const lengths = [3, 7, 5, 9, 12, 4, 6, 8];
const tokens = ragged(lengths, Int32Array, (n, r) =>
  Array.from({ length: n }, (_, t) => (r * 5 + t * 3) % 11),
);
const mask = ragged(lengths, Uint8Array, (n) => Array.from({ length: n }, (_, t) => Number(t >= 2)));
const table: Table = {
  tokens,
  mask,
  weight: new Float64Array(8).fill(1),
  advantage: broadcast([1, -1, 0.5, 2, -0.3, 0.7, -2, 0.1], mask),
  behaviorLogp: ragged(lengths, Float32Array, (n) => new Float32Array(n).fill(-2.3)),
  'logp/initial': ragged(lengths, Float32Array, (n) => new Float32Array(n).fill(-2.5)),
  pairId: Float64Array.from(lengths, (_, r) => r >> 1),
  chosen: Float64Array.from(lengths, (_, r) => 1 - (r & 1)),
  agreement: new Float64Array(8).fill(1),
  'reward/total': Float64Array.of(1, 0, 0, 1, 1, 1, 0, 0),
  'row/reference-point': new Float64Array(8).fill(0.3),
  'row/fresh': Float64Array.of(0, 0, 1, 1, 0, 0, 1, 1),
  'row/initial': Float64Array.of(0, 1, 1, 0, 0, 1, 1, 0),
  'credit/contrast': broadcast([0.2, -0.1, 0.4, 0.3, -0.4, 0.1, 0.2, -0.2], mask),
  groupId: Float64Array.from(lengths, (_, r) => r >> 1),
  'row/right': Float64Array.of(1, 0, 0.5, 0, 1, 0.25, 0, 1),
  'row/accuracy': Float64Array.of(0.5, 0.5, 0.25, 0.25, 0.625, 0.625, 0.5, 0.5),
  'mean-logp/policy': ragged(lengths, Float32Array, (n) => new Float32Array(n).fill(-2.6)),
  values: ragged(lengths, Float32Array, (n) => new Float32Array(n).fill(0.3)),
};
const gradientOf = (objective: Objective, rows: Table, microBatchTokens?: number) =>
  new Updater({
    device,
    graph: modelGraph(config),
    parameters: parameters(),
    objective,
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 10 },
    temperature: 0.7,
    steps: 1,
    microBatchTokens,
  }).gradient(rows);

const close = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  const scale = Math.max(...Array.from(b, Math.abs));
  Array.from(a).forEach((x, at) => expect(Math.abs(x - b[at])).toBeLessThan(1e-5 * scale));
};

test.each<[string, Objective]>([
  ['likelihood per token', part.likelihood({ average: 'token' })],
  ['likelihood per sequence', part.likelihood({ average: 'sequence' })],
  [
    'surrogate with k3',
    sum(
      part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
      weighted(0.3, part.klToReference({ estimator: 'k3' })),
    ),
  ],
  ['surrogate by constant', part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2, average: 'constant' })],
  ['entropy', part.entropyBonus],
  ['score function', part.scoreFunction()],
  ['surrogate of answers', part.sequenceSurrogate({ clipLow: 0.2, clipHigh: 0.2 })],
  ['truncated weights', part.truncatedWeights({ clipLow: 1, clipHigh: 0.2 })],
  ['negative-aware', part.negativeAware({ promptWeight: 'grpo', epsilon: 1 })],
  ['contrastive', part.contrastive({ beta: 0.3, groupSize: 2 })],
  ['coupled classifier', part.coupledClassifier({ beta: 0.7, groupSize: 2, balance: true })],
  ['uniform valuation', part.uniformValuation({ rho: 0.8 })],
  ['soft Bellman', part.softBellman({ beta: 0.3 })],
  ['pairs', part.logisticMargin({ beta: 0.3 })],
  ['pairs by hinge, per token', part.ratioMargin({ beta: 0.3, average: 'mean', loss: part.hingeLoss() })],
  [
    'pairs without a reference',
    sum(
      part.plainMargin({ average: 'mean', score: part.logOdds, loss: part.logisticLoss() }),
      weighted(0.5, part.likelihoodOf({ side: 0, average: 'token' })),
    ),
  ],
  [
    'discounted pairs',
    part.plainMargin({ discount: 0.9, pessimism: 0.5, loss: part.squaredLoss({ target: 1 }) }),
  ],
  ['answers one by one', part.prospectValue({ beta: 0.3, desirableWeight: 1, undesirableWeight: 2 })],
  [
    'pairs and fresh answers',
    sum(part.logisticMargin({ beta: 0.3 }), weighted(0.2, part.freshKl), weighted(0.1, part.optimism)),
  ],
  [
    'pairs and token rewards',
    sum(part.logisticMargin({ beta: 0.3 }), weighted(0.5, part.contrastRewards({ beta: 0.3 }))),
  ],
  [
    'triples',
    sum(
      part.plainMargin({ unit: 3, loss: part.logisticLoss() }),
      part.likelihoodOf({ side: 2, unit: 3, average: 'sequence' }),
    ),
  ],
])(
  '%s: a batch equals the sum of its micro-batches, whatever the padding and the order of rows',
  async (_, objective) => {
    const unit = Math.max(2, ...objective.terms.map((term) => term.unit));
    const units = Math.floor(lengths.length / unit);
    const rows = gatherTable(
      table,
      Uint32Array.from({ length: units * unit }, (_row, r) => r),
    );
    const whole = await gradientOf(objective, rows, 1e6);
    const parts = await gradientOf(objective, rows, 32);
    expect(parts.loss).toBeCloseTo(whole.loss, 5);
    close(parts.gradient, whole.gradient);
    for (const [name, value] of Object.entries(whole.metrics))
      expect(parts.metrics[name], name).toBeCloseTo(value, 5);
    const turned = Array.from({ length: units }, (_unit, u) => (u + 1) % units).reverse();
    const order = turned.flatMap((u) => Array.from({ length: unit }, (_row, i) => u * unit + i));
    const shuffled = await gradientOf(objective, gatherTable(rows, Uint32Array.from(order)), 1e6);
    close(shuffled.gradient, whole.gradient);
  },
);

test('a step with a non-finite loss changes neither parameters nor moments nor the count of updates, and is reported', async () => {
  const set = parameters();
  const objective = part.likelihood({ average: 'token' });
  const learner = new Updater({
    device,
    graph: modelGraph(config),
    parameters: set,
    objective,
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 10 },
    temperature: 1,
    steps: 10,
  });
  await learner.update(table, 0);
  const before = { parameters: set.flat.slice(), state: structuredClone(learner.state) };
  const report = await learner.update({ ...table, weight: new Float64Array(8).fill(Number.NaN) }, 1);
  expect(report.skipped).toBe(1);
  expect(set.flat).toEqual(before.parameters);
  expect(learner.state).toEqual(before.state);
  expect((await learner.update(table, 1)).skipped).toBe(0);
});

test('an empty batch after filtering changes nothing', async () => {
  const set = parameters();
  const learner = new Updater({
    device,
    graph: modelGraph(config),
    parameters: set,
    objective: part.likelihood({ average: 'token' }),
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 10 },
    temperature: 1,
    steps: 10,
  });
  await learner.update(table, 0);
  const before = { parameters: set.flat.slice(), state: structuredClone(learner.state) };
  expect(await learner.update(gatherTable(table, new Uint32Array()), 1)).toMatchObject({
    loss: 0,
    gradNorm: 0,
  });
  expect(set.flat).toEqual(before.parameters);
  expect(learner.state).toEqual(before.state);
});

test('log-probabilities of a row do not depend on the other rows', async () => {
  const live = new LiveModel(new RowPrograms(device, modelGraph(config)), parameters());
  const together = await live.logp(tokens, 1);
  for (const r of [0, 4]) {
    const alone = await live.logp(ragged([rowOf(tokens, r)], Int32Array), 1);
    rowOf(together, r).forEach((value, t) => expect(alone.values[t]).toBeCloseTo(value, 5));
  }
  expect(rowOf(together, 0)[0]).toBe(0);
});
