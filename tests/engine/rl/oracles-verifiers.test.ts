import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { evaluate, grad, input, type Expr } from '../../../engine/tensor/index.ts';
import { oracleCases, solvedCase } from '../../support/oracle-cases.ts';
import { noSteps } from '../../support/no-steps.ts';

interface Oracle {
  readonly lengths: readonly number[];
  readonly score: readonly number[];
  readonly right: readonly number[];
  readonly scores: readonly number[][];
  readonly verdict: readonly number[][];
  readonly stepEnd: readonly number[][];
  readonly stepRight: readonly number[][];
  readonly targets: readonly number[][];
  readonly nu: number;
  readonly bootstrap: readonly (readonly number[])[];
  readonly reference: readonly number[][];
  readonly answer: readonly number[][];
  readonly advantage: readonly number[];
  readonly cases: {
    readonly [name: string]: { readonly loss: number; readonly gradient: readonly number[] };
  };
  readonly regression: {
    readonly features: readonly (readonly number[])[];
    readonly agreement: readonly number[];
    readonly weight: readonly number[];
    readonly prompt: readonly number[];
    readonly folds: number;
    readonly head: readonly number[];
    readonly metrics: { readonly [name: string]: number };
  };
}
const oracle = JSON.parse(
  readFileSync(new URL('../../support/oracles/verifiers.json', import.meta.url), 'utf8'),
) as Oracle;
const R = oracle.lengths.length;
const T = Math.max(...oracle.lengths);
const marks = (rows: readonly number[][]) =>
  ragged(rows, Uint8Array, (row, r) => row.slice(0, oracle.lengths[r]));
const table: Table = {
  mask: marks(oracle.answer),
  'row/advantage': Float64Array.from(oracle.advantage),
  'logp/initial': ragged(oracle.reference, Float32Array, (row, r) => row.slice(0, oracle.lengths[r])),
  tokens: ragged(oracle.lengths, Int32Array, (n) => new Int32Array(n)),
  weight: new Float64Array(R).fill(1),
  promptId: Float64Array.of(3, 3, 9, 9),
  pairId: Float64Array.of(0, 0, 1, 1),
  chosen: Float64Array.of(1, 0, 1, 0),
  agreement: Float64Array.of(1, 1, 0.5, 0.5),
  'row/strength': Float64Array.of(1, 1, 2, 2),
  'reward/total': Float64Array.from(oracle.right),
  stepEnd: marks(oracle.stepEnd),
  stepRight: marks(oracle.stepRight),
  'row/nu': new Float64Array(R).fill(oracle.nu),
  'row/attribute-0': Float64Array.from(oracle.targets, ([first]) => first),
  'row/attribute-1': Float64Array.from(oracle.targets, ([, second]) => second),
};
const variables = { score: [R], scores: [R, 2], verdict: [R, T] } as const;

/** Loss and gradient in float64, with the head's outputs as free variables. */
const lossAndGradient = (objective: Objective, variable: keyof typeof variables) => {
  const free = input('free', { dtype: 'float32', shape: variables[variable] });
  const feeds: Record<string, Float64Array> = {
    free: Float64Array.from(
      ([oracle[variable]] as readonly (readonly (number | readonly number[])[])[]).flat(2),
    ),
  };
  const padded = ({ values, offsets }: PerToken<Float64Array>) =>
    Float64Array.from({ length: R * T }, (_, at) => {
      const r = Math.floor(at / T);
      const t = at % T;
      return t < oracle.lengths[r] ? values[offsets[r] + t] : 0;
    });
  const inputs = (at: number): { [name: string]: Expr } =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return free;
          const column =
            objective.terms[at].prepare(table, { maxTokens: T })[String(name)] ?? table[String(name)];
          feeds[String(name)] =
            column instanceof Float64Array ? column : padded(column as PerToken<Float64Array>);
          return input(String(name), {
            dtype: 'float32',
            shape: column instanceof Float64Array ? [R] : [R, T],
          });
        },
      },
    );
  const { loss } = buildLoss(objective, inputs, {
    logp: () => free,
    entropy: () => free,
    meanLogp: () => free,
    ofLogits: () => free,
    against: () => free,
    width: 0,
    shiftedLogp: () => free,
    score: () => free,
    values: () => free,
    verdicts: () => free,
    features: () => free,
    step: noSteps,
    bonus: noSteps,
  });
  const [value, slope] = evaluate([loss, grad(loss, [free])[0]], feeds);
  return { loss: value.data[0], gradient: slope.data };
};

const cases = oracleCases.verifiers;
/** The variable of each case's gradient; by default the score. */
const variableOf: { readonly [name: string]: keyof typeof variables } = {
  stepEntropy: 'verdict',
  weighedAnswers: 'verdict',
  promptValueError: 'verdict',
  ensembleEntropy: 'scores',
  attributeError: 'scores',
};

describe('verifiers and reward heads match PyTorch on one fixed batch', () => {
  test('covers every case of the file', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const { loss, gradient } = lossAndGradient(objective, variableOf[name] ?? 'score');
    expect(loss).toBeCloseTo(oracle.cases[name].loss, 6);
    oracle.cases[name].gradient.forEach((slope, at) =>
      expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6),
    );
  });

  test('the bootstrap weights of the file match ours', () =>
    expect([3, 9].map((prompt) => [0, 1].map((head) => part.bootstrapWeight(prompt, head)))).toEqual(
      oracle.bootstrap,
    ));
});

test(
  'a linear head on frozen features matches PyTorch’s L-BFGS solution, with the same penalty and the ' +
    'same held-out accuracy',
  async () => {
    const { features, agreement, weight, prompt, folds, head, metrics } = oracle.regression;
    const twice = (values: readonly number[]) => Float64Array.from(values.flatMap((v) => [v, v]));
    const rows = features.length;
    const width = features[0].length;
    let found = new Float64Array(0);
    const reported = await solvedCase({ folds }).fit?.(
      {
        tokens: ragged(features, Int32Array, () => [0]),
        promptId: twice(prompt),
        pairId: Float64Array.from({ length: rows }, (_, r) => r >> 1),
        chosen: Float64Array.from({ length: rows }, (_, r) => 1 - (r % 2)),
        agreement: twice(agreement),
        weight: twice(weight),
      },
      {
        features: () => Promise.resolve({ values: Float64Array.from(features.flat()), width }),
        rehearsal: false,
        setHead: (w) => {
          found = Float64Array.from(w);
        },
      },
    );
    expect(found).toHaveLength(width);
    // compare weights by their effect on a score: scale by the spread of the feature
    head.forEach((w, f) =>
      expect(
        Math.abs(found[f] - w) * Math.max(...features.map((row) => Math.abs(row[f]))),
        `weight ${f}`,
      ).toBeLessThan(1e-5),
    );
    expect(Object.keys(reported ?? {}).sort()).toEqual(Object.keys(metrics).sort());
    for (const [name, value] of Object.entries(metrics)) expect(reported?.[name], name).toBeCloseTo(value, 6);
  },
);

test('bootstrap weights have mean 1 and variance 1, and are reproducible', () => {
  const weights = Array.from({ length: 4000 }, (_, i) => part.bootstrapWeight(i, 1));
  const mean = weights.reduce((a, b) => a + b, 0) / 4000;
  expect(Math.abs(mean - 1)).toBeLessThan(0.06);
  expect(Math.abs(weights.reduce((a, w) => a + (w - mean) ** 2, 0) / 4000 - 1)).toBeLessThan(0.12);
  expect(Array.from({ length: 4000 }, (_, i) => part.bootstrapWeight(i, 1))).toEqual(weights);
});

test('the tie strength matches the frequency of ties', () => {
  const margins = [0.3, -1.2, 2, 0, 0.7];
  const nu = part.tieStrength(margins, 2);
  expect(margins.reduce((sum, m) => sum + nu / (2 * Math.cosh(m / 2) + nu), 0)).toBeCloseTo(2, 9);
  expect(part.tieStrength([0, 0, 0, 0], 1)).toBeCloseTo(2 / 3, 9); // equal strengths: P(tie) = ν ⁄ (2 + ν)
  expect(part.tieStrength(margins, 0)).toBe(0);
});
