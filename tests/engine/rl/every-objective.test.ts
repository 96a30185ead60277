import { beforeAll, describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { networkConfigOf, type ModelConfig } from '../../../engine/models/config.ts';
import { rowWidth } from '../../../engine/models/families/network.ts';
import type { Method } from '../../../engine/rl/kernel/method.ts';
import { transformerOf } from '../../../engine/models/families/index.ts';
import { ParameterSet } from '../../../engine/models/parameters.ts';
import { variants, requiredColumns } from '../../../engine/rl/kernel/check.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import type { ColumnValue, TokenValues } from '../../../engine/rl/kernel/columns.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { Updater } from '../../../engine/rl/compute/updater.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { objective, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { weightedSum } from '../../../engine/rl/parts/math/expressions.ts';
import { mul } from '../../../engine/tensor/index.ts';
import type { RoleHead } from '../../../engine/rl/kernel/recipe.ts';
import {
  gatherTable,
  isPerToken,
  observedOf,
  ragged,
  rowOf,
  type Table,
} from '../../../engine/rl/kernel/rows.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { actsByNumbers } from '../../../engine/schema/model.ts';
import { OptimizerSpec } from '../../../engine/schema/run-spec.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Rows: twenty-four, a multiple of 2, 3, 4, 6 and 8; prompts of two tokens, answers of 1 to 9. */
const LENGTHS = [3, 7, 5, 9, 11, 4, 6, 8, 3, 10, 5, 7, 4, 8, 6, 3, 9, 5, 11, 7, 3, 6, 10, 4];
const PROMPT = 2;
const VOCABULARY = 11;
const ofNumbers = networkConfigOf({ hidden: [8], activation: 'tanh' }, 3, 4, 'valued-numbers');
const draw = stream(7, 'rows');
const between = (low: number, high: number): number => low + (high - low) * draw.next();
const onRows = (of: (r: number) => number) => Float64Array.from(LENGTHS, (_, r) => of(r));

/**
 * Rows of texts or of episodes; and single steps, which a network of numbers reads: lengths, and what is
 * before them.
 */
interface Shape {
  readonly lengths: readonly number[];
  readonly prompt: number;
  /** Numbers behind each token. */
  readonly width: number;
}
const usual: Shape = { lengths: LENGTHS, prompt: PROMPT, width: 3 };
const singleSteps: Shape = { lengths: LENGTHS.map(() => 2), prompt: 1, width: rowWidth(ofNumbers) };

/** Rows that this model reads. */
const shapeFor = (own: ModelConfig): Shape => {
  if (own === ofNumbers) return singleSteps;
  return own.family === 'network' ? { ...usual, width: rowWidth(own) } : usual;
};

/** A column as a stage would add it, by its name: random numbers of the right shape. */
const columnOf = (name: string, unit: number, { lengths, prompt, width }: Shape = usual): ColumnValue => {
  const group = unit > 1 ? unit : 4;
  const onTokens = <V extends Float32Array | Float64Array | Uint8Array | Int32Array>(
    make: new (length: number) => V,
    of: (t: number, n: number) => number,
    outside = 0,
  ) => ragged(lengths, make, (n) => Array.from({ length: n }, (_, t) => (t < prompt ? outside : of(t, n))));
  const known: { readonly [name: string]: () => unknown } = {
    tokens: () => ({
      ...ragged(lengths, Int32Array, (n) => Array.from({ length: n }, () => draw.int(VOCABULARY))),
      // read by networks alone
      observed: observedOf(
        lengths.map((n) => Float32Array.from({ length: width * n }, () => between(-1, 1))),
        width,
      ),
    }),
    prompt: () => ragged(LENGTHS, Int32Array, () => [1, 2]),
    mask: () => onTokens(Uint8Array, () => 1),
    stepEnd: () => onTokens(Uint8Array, (t, n) => Number(t === n - 1 || t === 3)),
    stepRight: () => onTokens(Uint8Array, (t, n) => Number(t === n - 1)),
    weight: () => onRows(() => 1),
    promptId: () => onRows((r) => Math.floor(r / group)),
    groupId: () => onRows((r) => Math.floor(r / group)),
    sample: () => onRows((r) => r % group),
    pairId: () => onRows((r) => Math.floor(r / group)),
    chosen: () => onRows((r) => Number(r % group !== 1)),
    agreement: () => onRows(() => 1),
    label: () => onRows((r) => r % 2),
    ended: () => onRows(() => 1),
    behaviorLogp: () => onTokens(Float32Array, () => between(-3, -1.5)),
    values: () => onTokens(Float32Array, () => between(-1, 1)),
    completion: () => LENGTHS.map(() => 'x'),
    problem: () => LENGTHS.map((_, r) => ({ promptId: String(r), prompt: 'q', reference: null })),
  };
  const kind = name.split('/')[0];
  const found =
    known[name]?.() ??
    (kind === 'logp' || kind === 'mean-logp'
      ? onTokens(Float32Array, () => between(-3, -1.5))
      : kind === 'reward' || kind === 'row'
        ? onRows(() => between(0.1, 0.9))
        : onTokens(Float64Array, () => between(-1, 1)));
  return found as ColumnValue;
};

const config = {
  family: 'gpt2',
  width: 16,
  layers: 1,
  heads: 2,
  context: 64,
  vocabulary: VOCABULARY,
  head: 'next-token',
  pad: 0,
  layerNormEpsilon: 1e-5,
} as const;

const ownConfig = (head: RoleHead | undefined, { task, outputs }: Method): ModelConfig => {
  if (actsByNumbers(outputs)) return ofNumbers;
  if (task === 'control') return networkConfigOf({ hidden: [8], activation: 'tanh' }, 3, VOCABULARY, outputs);
  return {
    ...config,
    ...(head && { head: head.kind, ...(head.labels !== undefined && { labels: head.labels }) }),
  };
};
const learned = (objective: Objective, own: ModelConfig) => {
  const graph = modelGraph(own);
  return (rows: Table, microBatchTokens: number, shares = graph.shares) => {
    const updater = new Updater({
      device,
      graph: { ...graph, shares },
      parameters: ParameterSet.initialize(transformerOf(own).parameters(), 5),
      objective,
      optimizer: OptimizerSpec.parse({}),
      limits: { maxTokens: 12 },
      temperature: 0.8,
      steps: 1,
      microBatchTokens,
    });
    updater.readOthers(
      () =>
        new LiveModel(
          new RowPrograms(device, graph),
          ParameterSet.initialize(transformerOf(own).parameters(), 6),
        ),
    );
    return updater.gradient(rows);
  };
};

/** Relative to the largest entry: float32 sums in another order differ in their last bits. */
const near = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
  const scale = Math.max(1e-4, ...Array.from(b, Math.abs));
  expect(Math.max(...Array.from(a, (x, at) => Math.abs(x - b[at]))) / scale).toBeLessThan(2e-5);
};

/** The same columns with other numbers at all untrained tokens. */
const disturbed = (table: Table): Table => {
  const { mask } = table;
  if (!mask || !isPerToken(mask)) return table;
  return Object.fromEntries(
    Object.entries(table).map(([name, column]) => {
      if (
        !isPerToken(column) ||
        name === 'mask' ||
        name === 'tokens' ||
        name === 'prompt' ||
        name === 'worked' ||
        column.values.length !== mask.values.length
      )
        return [name, column];
      const values = column.values.slice();
      // large values of both signs: a model can give prompt tokens any log-probability, and a weight of 0
      // does not remove an infinity
      mask.values.forEach((m, at) => {
        if (!m)
          values[at] =
            values instanceof Float32Array || values instanceof Float64Array
              ? (at % 2 === 0 ? 200 : -200) - (at % 5)
              : values[at];
      });
      return [name, { ...column, values } as ColumnValue];
    }),
  );
};

/** The same rows with a shared prompt of forty untrained tokens for each group. */
const prompted = (table: Table, group: number): Table =>
  Object.fromEntries(
    Object.entries(table).map(([name, column]) => {
      if (!isPerToken(column) || column.values.length !== LENGTHS.reduce((a, b) => a + b, 0))
        return [name, column];
      const rows = LENGTHS.map((_, r) => [
        ...Array.from({ length: 40 }, (_token, t) =>
          name === 'tokens' ? (Math.floor(r / group) * 3 + t) % VOCABULARY : 0,
        ),
        ...rowOf<TokenValues>(column, r).subarray(PROMPT),
      ]);
      return [
        name,
        ragged(rows, column.values.constructor as new (length: number) => Float32Array) as ColumnValue,
      ];
    }),
  );

/** Each distinct objective once: of every method, every preset and choice, every role. */
const objectives = new Map(
  methods.flatMap((method) =>
    variants(method).flatMap((params) => {
      // an objective over a whole batch of stored steps has as many as there are rows here
      const drawn = 'drawn' in method.params.shape ? { drawn: LENGTHS.length } : {};
      const recipe = method.recipe({ ...params, ...drawn }, stubOf(method));
      return Object.entries(recipe.roles).flatMap(([name, { objective, head }]) => {
        const scores = head?.kind === 'reward' || (name === 'policy' && method.produces === 'reward');
        return objective && !objective.fit
          ? [
              [
                `${scores ? 'score ' : ''}${objective.id}${method.outputs ? ` on ${method.outputs}` : ''}`,
                {
                  objective,
                  own: ownConfig(scores ? (head ?? { kind: 'reward' as const }) : undefined, method),
                  needs: requiredColumns({ ...recipe, buffers: {} }, name),
                  by: method.id,
                },
              ] as const,
            ]
          : [];
      });
    }),
  ),
);

describe.each([...objectives].map(([id, each]) => [`${each.by}: ${id}`, each] as const))(
  '%s',
  (_, { objective, own, needs }) => {
    const unit = Math.max(1, ...objective.terms.map((term) => term.unit));
    const table: Table = Object.fromEntries(
      ['tokens', 'mask', ...needs].map((name) => [name, columnOf(name, unit, shapeFor(own))]),
    );
    const gradient = learned(objective, own);

    test(
      'a batch gives the same gradient as its parts, whatever the padding, the order of rows or the ' +
        'untrained tokens',
      async () => {
        const whole = await gradient(table, 1e6);
        expect(whole.loss).not.toBeNaN();
        const parts = await gradient(table, 32);
        expect(Math.abs(parts.loss - whole.loss)).toBeLessThan(1e-4 * Math.max(1, Math.abs(whole.loss)));
        near(parts.gradient, whole.gradient);
        const units = LENGTHS.length / unit;
        const order = Uint32Array.from(
          LENGTHS,
          (_length, at) => (units - 1 - Math.floor(at / unit)) * unit + (at % unit),
        );
        near((await gradient(gatherTable(table, order), 1e6)).gradient, whole.gradient);
        near((await gradient(disturbed(table), 1e6)).gradient, whole.gradient);
      },
    );

    if (modelGraph(own).shares)
      test('computing a shared prompt once for its group changes nothing', async () => {
        const rows = prompted(table, unit > 1 ? unit : 4);
        const separate = await gradient(rows, 1e6, false);
        const shared = await gradient(rows, 1e6);
        expect(Math.abs(shared.loss - separate.loss)).toBeLessThan(
          1e-5 * Math.max(1, Math.abs(separate.loss)),
        );
        near(shared.gradient, separate.gradient);
        expect(shared.gradient).not.toEqual(separate.gradient);
        for (const [name, value] of Object.entries(separate.metrics))
          expect(Math.abs(shared.metrics[name] - value), name).toBeLessThan(
            1e-4 * Math.max(1, Math.abs(value)),
          );
      });
  },
);

test('detects an objective that depends on untrained tokens', async () => {
  const leaky = objective({
    id: 'leaky',
    needs: ['tokens', 'mask', 'advantage'],
    prepare: ({ mask }) => ({
      w: { axis: 'T', offsets: mask.offsets, values: new Float32Array(mask.values.length).fill(0.1) },
    }),
    loss: ({ tokens, advantage, w }, learner) => ({
      loss: weightedSum(w, mul(advantage, learner.logp(tokens))),
    }),
  });
  const table: Table = Object.fromEntries(
    (['tokens', 'mask', 'advantage'] as const).map((name) => [name, columnOf(name, 1)]),
  );
  const gradient = learned(leaky, config);
  const [whole, other] = [await gradient(table, 1e6), await gradient(disturbed(table), 1e6)];
  expect(() => near(other.gradient, whole.gradient)).toThrow();
});

test('covers every method with an objective', () => {
  expect(objectives.size).toBeGreaterThan(10);
});
