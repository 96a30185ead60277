import { expect, test } from 'vitest';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { isPerToken, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import {
  add,
  cumsum,
  evaluate,
  grad,
  input,
  matmul,
  reshape,
  sub,
  tanh,
  tokenLogp,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import { readOracle, type Oracle } from '../../support/objective-oracle.ts';
import { noSteps } from '../../support/no-steps.ts';

interface Latent extends Omit<Oracle, 'cases'> {
  readonly prompts: readonly number[];
  readonly vocabulary: number;
  readonly width: number;
  readonly logits: readonly number[];
  readonly table: readonly number[];
  readonly ids: readonly (readonly number[])[];
  readonly cases: {
    readonly [name: string]: { readonly loss: number; readonly gradient: readonly number[] };
  };
}
const oracle = readOracle<Latent & Oracle>('latent') as unknown as Latent;
const { lengths, prompts, vocabulary: V, width: D } = oracle;
const [R, T] = [lengths.length, Math.max(...lengths)];
const table: Table = {
  tokens: ragged(lengths, Int32Array, (n) => new Int32Array(n)),
  mask: ragged(lengths, Uint8Array, (n, r) => Array.from({ length: n }, (_, t) => Number(t >= prompts[r]))),
  weight: new Float64Array(R).fill(1),
  pairId: Float64Array.of(0, 0, 1, 1),
};

/** Loss and gradient in float64 with the logits as the free variable. */
const lossAndGradient = (objective: Objective) => {
  const feeds: Record<string, Float64Array | Int32Array> = {
    free: Float64Array.from(oracle.logits),
    ids: Int32Array.from(oracle.ids.flat()),
    table: Float64Array.from(oracle.table),
  };
  const free = input('free', { dtype: 'float32', shape: [R, T, V] });
  const ids = input('ids', { dtype: 'int32', shape: [R, T] });
  const fixed = input('table', { dtype: 'float32', shape: [D, V] });
  const prepared = objective.terms[0].prepare(table, { maxTokens: T });
  const inputs = new Proxy<{ [name: string]: Expr }>(
    {},
    {
      get: (_, key) => {
        const name = String(key);
        if (name === 'tokens') return ids;
        const column = prepared[name] ?? table[name];
        feeds[name] = isPerToken(column)
          ? Float64Array.from({ length: R * T }, (_none, at) => {
              const [r, t] = [Math.floor(at / T), at % T];
              return t < lengths[r] ? column.values[column.offsets[r] + t] : 0;
            })
          : (column as Float64Array);
        return input(name, { dtype: 'float32', shape: isPerToken(column) ? [R, T] : [R] });
      },
    },
  );
  const shiftedLogp = (_: Expr, shift: Expr) => {
    const earlier = reshape(tanh(sub(cumsum(shift, 1), shift)), [R * T, D]);
    const moved = add(reshape(free, [R * T, V]), matmul(earlier, fixed));
    return reshape(tokenLogp(moved, reshape(ids, [R * T])), [R, T]);
  };
  const unasked = () => {
    throw new Error('the oracle has shifted log-probabilities only');
  };
  const { loss } = buildLoss(objective, () => inputs, {
    logp: unasked,
    entropy: unasked,
    meanLogp: unasked,
    ofLogits: unasked,
    against: unasked,
    width: D,
    shiftedLogp,
    score: unasked,
    features: unasked,
    step: noSteps,
    bonus: noSteps,
    values: unasked,
    verdicts: unasked,
  });
  const [value, slope] = evaluate([loss, grad(loss, [free])[0]], feeds);
  return { loss: value.data[0], gradient: slope.data };
};

test.each(Object.entries(oracleCases.latent))('%s of targeted-lat matches PyTorch', (name, objective) => {
  const { loss, gradient } = lossAndGradient(objective);
  const wanted = oracle.cases[name];
  expect(loss).toBeCloseTo(wanted.loss, 6);
  wanted.gradient.forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
});

test('the attack raises the loss', () => {
  const [attacked, clean] = ['latentAdversary/4', 'latentAdversary/0'].map((name) => oracle.cases[name].loss);
  expect(attacked).toBeGreaterThan(clean + 0.1);
});
