import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { evaluate, grad, input, reshape, slice, type Expr } from '../../../engine/tensor/index.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import { noSteps } from '../../support/no-steps.ts';

interface Oracle {
  readonly lengths: readonly number[];
  readonly agreement: readonly number[];
  readonly noise: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
  readonly states: readonly (readonly number[])[];
  readonly cases: Readonly<Record<string, { readonly loss: number; readonly gradient: readonly number[] }>>;
}
const oracle = JSON.parse(
  readFileSync(new URL('../../support/oracles/judges.json', import.meta.url), 'utf8'),
) as Oracle;
const R = oracle.lengths.length;
const perRow = (of: (pair: number) => number) =>
  Float64Array.from({ length: R }, (_, r) => of(Math.floor(r / 3)));
const table: Table = {
  tokens: ragged(oracle.lengths, Int32Array, (n) => new Int32Array(n)),
  weight: perRow(() => 1),
  agreement: perRow((p) => oracle.agreement[p]),
  'row/noise-0': perRow((p) => oracle.noise[p][0]),
  'row/noise-1': perRow((p) => oracle.noise[p][1]),
};

/** Loss and gradient in float64; the head's labels, or a score and a state for each row, are free variables. */
const lossAndGradient = (objective: Objective, rows: readonly (readonly number[])[], hasStates: boolean) => {
  const width = rows[0].length;
  const free = input('free', { dtype: 'float32', shape: [R, width] });
  const feeds: Record<string, Float64Array> = { free: Float64Array.from(rows.flat()) };
  const prepared = objective.terms[0].prepare(table, { maxTokens: 8 });
  const inputs: { [name: string]: Expr } = new Proxy(
    {},
    {
      get: (_, name) => {
        feeds[String(name)] = (prepared[String(name)] ?? table[String(name)]) as Float64Array;
        return name === 'tokens' ? free : input(String(name), { dtype: 'float32', shape: [R] });
      },
    },
  );
  const unasked = () => {
    throw new Error('the oracle has the outputs of a head only');
  };
  const { loss } = buildLoss(objective, () => inputs, {
    logp: unasked,
    entropy: unasked,
    meanLogp: unasked,
    ofLogits: unasked,
    against: unasked,
    width: 0,
    shiftedLogp: unasked,
    values: unasked,
    verdicts: unasked,
    score: () => (hasStates ? reshape(slice(free, 1, 0, 1), [R]) : free),
    features: () => slice(free, 1, 1, width),
    step: noSteps,
    bonus: noSteps,
  });
  delete feeds.tokens;
  const [value, slope] = evaluate([loss, grad(loss, [free])[0]], feeds);
  return { loss: value.data[0], gradient: slope.data };
};

test.each(Object.entries(oracleCases.judges))('%s matches PyTorch on one fixed batch', (name, objective) => {
  const hasStates = name === 'goalContrast';
  const { loss, gradient } = lossAndGradient(
    objective,
    hasStates ? oracle.states : oracle.outputs,
    hasStates,
  );
  expect(loss).toBeCloseTo(oracle.cases[name].loss, 6);
  oracle.cases[name].gradient.forEach((slope, at) =>
    expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6),
  );
});
