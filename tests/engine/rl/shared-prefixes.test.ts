/** Shared prefixes computed once for their rows, compared with the same rows computed separately. */
import fc from 'fast-check';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { checkSpec } from '../../../engine/index.ts';
import { createAdapter } from '../../../engine/models/adapters/lora.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { configOf } from '../../../engine/models/config.ts';
import { frozenBase } from '../../../engine/models/inputs.ts';
import { createModel, trainedOf, type Model } from '../../../engine/models/model.ts';
import { flatParameters } from '../../../engine/models/symbols.ts';
import { packRows, shapeOf, type MicroBatch } from '../../../engine/rl/compute/packing.ts';
import { Updater, type UpdaterPlan } from '../../../engine/rl/compute/updater.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph, symbolicModel } from '../../../engine/rl/compute/model-graph.ts';
import { sum, weighted } from '../../../engine/rl/kernel/objective.ts';
import { sharedPrefixes } from '../../../engine/rl/compute/shared-prefixes.ts';
import { clippedSurrogate, entropyBonus, klToReference } from '../../../engine/rl/parts/index.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { broadcast, lengthsOf, ragged, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import { oneShape } from '../../../engine/rl/compute/steps-per-run.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';
import { add, evaluate, grad, input, mul, sum as total } from '../../../engine/tensor/index.ts';
import { familyOracle, formulaModelOf } from '../../support/families.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { randomFloats } from '../../support/tensors.ts';
import { lastCheckpoint, noResources, runInto, toyModel, type Seen } from '../../support/toy-run.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Answers to prompts of the given numbers of tokens; `answers` gives the length of each, group by group. */
const rowsOf = (
  prompts: readonly number[],
  answers: readonly (readonly number[])[],
  V = 11,
): { rows: Int32Array[]; mask: Uint8Array[] } => {
  const draw = stream(5, 'rows');
  const tokens = (count: number) => Array.from({ length: count }, () => draw.int(V));
  const made = prompts.flatMap((length, p) => {
    const prompt = tokens(length);
    return answers[p].map((count) => ({ row: [...prompt, ...tokens(count)], length }));
  });
  return {
    rows: made.map(({ row }) => Int32Array.from(row)),
    mask: made.map(({ row, length }) => new Uint8Array(row.length).fill(1, length)),
  };
};
const tableOf = ({ rows, mask: masks }: ReturnType<typeof rowsOf>): Table => {
  const mask = ragged(masks, Uint8Array);
  return {
    tokens: ragged(rows, Int32Array),
    mask,
    weight: Float64Array.from(rows, (_, r) => 1 + (r % 3)),
    advantage: broadcast(
      rows.map((_, r) => Math.sin(3 * r)),
      mask,
    ),
    behaviorLogp: ragged(rows, Float32Array, (row) => new Float32Array(row.length).fill(-2.3)),
    'logp/initial': ragged(rows, Float32Array, (row) => new Float32Array(row.length).fill(-2.5)),
  };
};
const table = tableOf(
  rowsOf(
    [9, 16, 17, 30, 12],
    [
      [3, 9, 1, 6],
      [12, 12, 2, 7],
      [5, 5, 4],
      [1, 2, 3, 4],
      [8, 6],
    ],
  ),
);

const largest = (values: Iterable<number>): number => {
  let most = 0;
  for (const x of values) most = Math.max(most, Math.abs(x));
  return most;
};
const worst = (found: ArrayLike<number>, wanted: Float32Array | Float64Array): number =>
  largest(wanted.map((x, at) => x - found[at])) / largest(wanted);

const small = configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 48 }, 11);

describe.each([
  ...familyOracle.cases.map(({ name, config }) => [name, formulaModelOf(config)] as const),
  ['gpt2', createModel(small, 3)] as const,
])('%s', (_, { config, parameters }) => {
  test('gives the same log-probabilities, entropies and gradients in float64', () => {
    const flat = input('parameters', { dtype: 'float32', shape: [parameters.size] });
    const [R, T, group, prefix] = [4, 14, 2, 7];
    const tokens = input('tokens', { dtype: 'int32', shape: [R, T] });
    const last = input('last', { dtype: 'int32', shape: [R] });
    const weights = input('weights', { dtype: 'float32', shape: [R, T] });
    const { rows } = rowsOf(
      [8, 8],
      [
        [6, 6],
        [6, 6],
      ],
      config.vocabulary,
    );
    const trainedWeights = Float32Array.from(randomFloats(1, [R, T]), (w, at) => (at % T <= prefix ? 0 : w));
    const feeds = {
      parameters: parameters.flat,
      tokens: Int32Array.from(rows.flatMap((row) => [...row])),
      last: Int32Array.of(13, 9, 13, 11),
      weights: trainedWeights,
    };
    const [separate, shared] = [undefined, { group, prefix }].map((shares) => {
      const model = symbolicModel(
        modelGraph(config),
        flatParameters(parameters.slots, flat),
        { tokens, last, shared: shares },
        0.8,
      );
      const values = add(model.logp(tokens), mul(model.entropy(tokens), 0.3));
      return evaluate([values, ...grad(total(mul(values, weights)), [flat])], feeds).map(({ data }) => data);
    });
    expect(largest(shared[0].filter((_value, at) => at % T <= prefix))).toBe(0);
    expect(
      worst(
        shared[0],
        separate[0].map((value, at) => (at % T <= prefix ? 0 : value)),
      ),
    ).toBeLessThan(1e-12);
    expect(worst(shared[1], separate[1])).toBeLessThan(1e-11);
  });
});

const learner = (
  shares: boolean,
  plan: Partial<UpdaterPlan> = {},
  { config, parameters }: Pick<Model, 'config' | 'parameters'> = createModel(small, 5),
) =>
  new Updater({
    device,
    graph: { ...modelGraph(config), shares },
    parameters,
    objective: sum(
      clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
      weighted(0.3, klToReference({ estimator: 'k3' })),
      weighted(0.1, entropyBonus),
    ),
    optimizer: OptimizerSpec.parse({}),
    limits: { maxTokens: 12 },
    temperature: 0.9,
    steps: 10,
    ...plan,
  });
const prefixes = sharedPrefixes(table.tokens as never, table.mask as never);
const lengths = lengthsOf(table.tokens as never);
const cutting = { unit: 1, context: 48, prefixes };

test('these rows are packed into groups of several lengths, some with empty places', () => {
  const whole = packRows(lengths, { ...cutting, tokens: 4096 });
  const parts = packRows(lengths, { ...cutting, tokens: 150 });
  expect(whole.every(({ shared }) => shared)).toBe(true);
  expect(whole.some(({ rows }) => rows.includes(-1))).toBe(true);
  expect(new Set(parts.map(shapeOf)).size).toBeGreaterThan(1);
  expect(parts.filter(({ shared }) => shared).length).toBeGreaterThan(1);
});

describe('an update', () => {
  const model = createModel(small, 5);
  const adapter = createAdapter(
    model,
    { rank: 2, alpha: 4, targets: ['all-linear'], rsLora: false, base: 'float32' } as never,
    { seed: 2, base: { path: '/none', hash: '0'.repeat(64) } },
  );
  adapter.parameters.flat.set(randomFloats(4, [adapter.parameters.size], [-0.2, 0.2]));
  test.each<[string, Partial<UpdaterPlan>]>([
    ['of one micro-batch', {}],
    ['of several micro-batches', { microBatchTokens: 150 }],
    ['that recomputes activations', { recompute: true }],
    [
      'of an adapter',
      { parameters: trainedOf({ ...model, adapter }), base: frozenBase({ ...model, adapter }) },
    ],
  ])('%s has the same loss, metrics and gradient', async (_, plan) => {
    const separate = await learner(false, plan).gradient(table);
    const shared = await learner(true, plan).gradient(table);
    expect(Math.abs(shared.loss / separate.loss - 1)).toBeLessThan(1e-6);
    for (const [name, value] of Object.entries(separate.metrics))
      expect(shared.metrics[name], name).toBeCloseTo(value, 6);
    expect(worst(shared.gradient, separate.gradient)).toBeLessThan(2e-6);
    expect(shared.gradient).not.toEqual(separate.gradient);
    expect(await learner(true, plan).gradient(table)).toEqual(shared);
  });

  test('does not share prefixes with dropout, whose masks differ by row, nor when prompts are trained', async () => {
    const dropout = { rate: 0.2, seed: 1, purpose: 'test' };
    expect(await learner(true, { dropout }).gradient(table)).toEqual(
      await learner(false, { dropout }).gradient(table),
    );
    const everything: Table = {
      ...table,
      mask: ragged(
        Array.from(lengths, (length) => new Uint8Array(length).fill(1)),
        Uint8Array,
      ),
    };
    expect(await learner(true).gradient(everything)).toEqual(await learner(false).gradient(everything));
  });
});

test.each(['logp', 'entropy', 'meanLogp'] as const)(
  'inference gives the same %s after shared prompts',
  async (question) => {
    const { config, parameters } = createModel(small, 5);
    const live = new LiveModel(new RowPrograms(device, modelGraph(config)), parameters);
    const [tokens, mask] = [table.tokens, table.mask] as never as [
      Parameters<LiveModel['each']>[1],
      NonNullable<Parameters<LiveModel['each']>[3]>,
    ];
    const [all, masked] = [
      await live.each(question, tokens, 0.7),
      await live.each(question, tokens, 0.7, mask),
    ];
    for (let r = 0; r < lengths.length; r++)
      rowOf(mask, r).forEach((held, t) => {
        if (held) expect(Math.abs(rowOf(masked, r)[t] - rowOf(all, r)[t])).toBeLessThan(1e-6);
      });
    expect(rowOf(masked, 4)[3]).toBe(0);
    expect(rowOf(all, 4)[3]).not.toBe(0);
  },
);

test('a run with shared prompts ends with the same bits when repeated, and when stopped and resumed', async () => {
  const spec = checkSpec({
    method: { id: 'grpo', params: { groupSize: 8, klWeight: 0.1 } },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy', params: { length: 16 } },
    sampling: { maxTokens: 6 },
    budget: { steps: 4, batch: 8, microTokens: 300 },
    evaluation: { problems: 2, samples: 2 },
    seed: 3,
  });
  const folder = temporaryFolder();
  const bitsOf = async (seen: readonly Seen[]) => {
    const { model, optimizer, state } = await readCheckpoint(lastCheckpoint(seen));
    return [trainedOf(model).flat, optimizer, state];
  };
  const whole = await runInto(device, spec, join(folder, 'whole'));
  const wanted = await bitsOf(whole.seen);
  const first = whole.seen.flatMap((event) =>
    event.type === 'trajectories' && event.step === 1 ? event.rows : [],
  );
  const tokens = ragged(first, Int32Array, (row) => row.tokens);
  const mask = ragged(first, Uint8Array, (row) => row.tokens.map((_, t) => Number(t >= row.promptLength)));
  expect(
    packRows(lengthsOf(tokens), {
      unit: 1,
      tokens: 300,
      context: 64,
      prefixes: sharedPrefixes(tokens, mask),
    }).filter(({ shared }) => shared).length,
  ).toBeGreaterThan(1);
  expect(await bitsOf((await runInto(device, spec, join(folder, 'again'))).seen)).toEqual(wanted);
  const stopped = await runInto(device, spec, join(folder, 'parts'), { stopAfter: 2 });
  expect(
    await bitsOf(
      (
        await runInto(device, spec, join(folder, 'parts'), {
          attempt: 2,
          resumeFrom: lastCheckpoint(stopped.seen),
        })
      ).seen,
    ),
  ).toEqual(wanted);
  expect((await needOf(spec, noResources)).totalBytes).toBeGreaterThan(0);
});

test('several updates run together only if they share prefixes in the same way', () => {
  const rect = (shared?: MicroBatch['shared']): MicroBatch[] => [
    { rows: Int32Array.of(0, 1), R: 2, T: 16, shared },
  ];
  expect(oneShape([rect({ group: 2, prefix: 7 }), rect({ group: 2, prefix: 7 })], 64)?.map(shapeOf)).toEqual([
    '2x16 2 share 7',
    '2x16 2 share 7',
  ]);
  expect(oneShape([rect({ group: 2, prefix: 7 }), rect()], 64)).toBeUndefined();
  expect(oneShape([rect(), rect({ group: 2, prefix: 7 })], 64)).toBeUndefined();
});

test(
  'every row is in exactly one micro-batch, next to rows with the same prefix; limits hold and the ' +
    'cost never increases',
  () => {
    const group = fc.tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(1, 2, 3),
        fc.integer({ min: 64, max: 2048 }),
        (groups, unit, bound) => {
          const made = groups.flatMap(([opening, answers], at) =>
            answers.flatMap((answer, a) =>
              Array.from({ length: unit }, (_, i) => ({
                at,
                opening,
                length: opening + 1 + ((answer + a * i) % 20),
              })),
            ),
          );
          const prefixes = {
            prefixLength_R: Uint32Array.from(made, ({ opening }) => opening),
            prefixId_R: Uint32Array.from(made, ({ at }) => at),
          };
          const all = made.map(({ length }) => length);
          const cuts = packRows(all, { unit, tokens: bound, context: 60, prefixes });
          const separate = packRows(all, { unit, tokens: bound, context: 60 });
          expect(cuts.flatMap(({ rows }) => [...rows].filter((r) => r >= 0)).sort((a, b) => a - b)).toEqual(
            all.map((_, r) => r),
          );
          const computed = ({ R, T, shared }: MicroBatch) =>
            shared ? (R / shared.group) * shared.prefix + R * (T - 1 - shared.prefix) : R * T;
          for (const rect of cuts) {
            const { rows, R, T, shared } = rect;
            const { group: size, prefix } = shared ?? { group: unit, prefix: 0 };
            expect(computed(rect) <= bound || R === unit).toBe(true);
            expect([R % size, size % unit, shared ? Math.log2(R / size) % 1 : 0]).toEqual([0, 0, 0]);
            rows.forEach((row, place) => {
              if (row < 0) return;
              expect(made[row].length).toBeLessThanOrEqual(T);
              if (shared) expect(made[row].at).toBe(made[rows[place - (place % size)]].at);
              if (shared) expect(prefix).toBeLessThan(made[row].opening);
              expect(rows[place - (place % unit)]).toBe(Math.floor(row / unit) * unit);
              expect(row % unit).toBe(place % unit);
            });
          }
          const cost = (each: readonly MicroBatch[]) =>
            each.reduce((tokens, rect) => tokens + computed(rect) + 256, 0);
          expect(cost(cuts)).toBeLessThanOrEqual(cost(separate));
          expect(packRows(all, { unit, tokens: bound, context: 60, prefixes })).toEqual(cuts);
        },
      ),
      { numRuns: 200 },
    );
  },
);

test('prefixes end at the first token of the mask, and rows with different prefixes get different ids', () => {
  const tokens = ragged([[1, 2, 3], [1, 2, 4, 5], [1, 3, 3], [1, 2, 3], [7]], Int32Array);
  const mask = ragged([[0, 0, 1], [0, 0, 1, 0], [0, 0, 1], [0, 0, 0], [1]], Uint8Array);
  const { prefixLength_R: prefixLength_R, prefixId_R: prefixId_R } = sharedPrefixes(tokens, mask);
  expect([...prefixLength_R]).toEqual([2, 2, 2, 2, 0]);
  expect([...prefixId_R]).toEqual([0, 0, 1, 0, 2]);
});
