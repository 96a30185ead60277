import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { broadcast, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { evaluate, grad, input, type Expr } from '../../../engine/tensor/index.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import { noSteps } from '../../support/no-steps.ts';

interface Oracle {
  readonly lengths: readonly number[];
  readonly logp: readonly number[][];
  readonly behaviorLogp: readonly number[][];
  readonly referenceLogp: readonly number[][];
  readonly advantage: readonly number[];
  readonly score: readonly number[];
  readonly cases: {
    readonly [name: string]: {
      readonly loss: number;
      readonly gradient: readonly number[] | readonly number[][];
    };
  };
}
const oracle = JSON.parse(
  readFileSync(new URL('../../support/oracles/objectives.json', import.meta.url), 'utf8'),
) as Oracle;
const R = oracle.lengths.length;
const T = Math.max(...oracle.lengths);

const rows = (values: readonly number[][]): PerToken =>
  ragged(values, Float32Array, (row, r) => row.slice(0, oracle.lengths[r]));
const mask = ragged(oracle.lengths, Uint8Array, (n) => new Uint8Array(n).fill(1));
const table: Table = {
  tokens: ragged(oracle.lengths, Int32Array, (n) => new Int32Array(n)),
  mask,
  weight: new Float64Array(R).fill(1),
  behaviorLogp: rows(oracle.behaviorLogp),
  'logp/initial': rows(oracle.referenceLogp),
  advantage: broadcast(oracle.advantage, mask),
  pairId: Float64Array.of(0, 0, 1, 1),
  chosen: Float64Array.of(1, 0, 1, 0),
  agreement: new Float64Array(R).fill(1),
};

/**
 * The objective's graph over a micro-batch, in float64, with the model's log-probabilities (or scores) as
 * free variables.
 */
const lossAndGradient = (objective: Objective, variable: 'logp' | 'score') => {
  const logp = input('logp', { dtype: 'float32', shape: [R, T] });
  const score = input('score', { dtype: 'float32', shape: [R] });
  const feeds: Record<string, Float64Array> = {
    logp: Float64Array.from(oracle.logp.flat()),
    score: Float64Array.from(oracle.score),
  };
  const padded = (column: PerToken | PerToken<Float64Array>) =>
    Float64Array.from({ length: R * T }, (_, at) => {
      const [r, t] = [Math.floor(at / T), at % T];
      return t < oracle.lengths[r] ? column.values[column.offsets[r] + t] : 0;
    });
  const inputs = (at: number): { [name: string]: Expr } =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return logp;
          const prepared = objective.terms[at].prepare(table, { maxTokens: T });
          const column = prepared[String(name)] ?? table[String(name)];
          const feed = `${at}/${String(name)}`;
          feeds[feed] = column instanceof Float64Array ? column : padded(column as PerToken);
          return input(feed, { dtype: 'float32', shape: column instanceof Float64Array ? [R] : [R, T] });
        },
      },
    );
  const { loss } = buildLoss(objective, inputs, {
    logp: () => logp,
    entropy: () => logp,
    meanLogp: () => logp,
    ofLogits: () => logp,
    against: () => logp,
    width: 0,
    shiftedLogp: () => logp,
    score: () => score,
    values: () => logp,
    verdicts: () => logp,
    features: () => logp,
    step: noSteps,
    bonus: noSteps,
  });
  const [gradient] = grad(loss, [variable === 'logp' ? logp : score]);
  const [value, slope] = evaluate([loss, gradient], feeds);
  return { loss: value.data[0], gradient: slope.data };
};

const cases = oracleCases.objectives;

describe('objectives match PyTorch on one fixed batch', () => {
  test('covers every case of the file', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const wanted = oracle.cases[name];
    const { loss, gradient } = lossAndGradient(objective, name === 'bradleyTerry' ? 'score' : 'logp');
    // columns are float32
    expect(loss).toBeCloseTo(wanted.loss, 6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
  });
});
