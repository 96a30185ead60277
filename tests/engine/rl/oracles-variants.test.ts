import { describe, expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { buildLoss, type Objective } from '../../../engine/rl/kernel/objective.ts';
import { broadcast, isPerToken, type Table } from '../../../engine/rl/kernel/rows.ts';
import { evaluate, grad, input, reshape, tokenLogp, type Expr } from '../../../engine/tensor/index.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import { oracleAnswers, oracleRows, readOracle, type Oracle } from '../../support/objective-oracle.ts';
import { noSteps } from '../../support/no-steps.ts';

type Grid = readonly (readonly number[])[];
interface Variants extends Omit<Oracle, 'cases'> {
  readonly vocabulary: number;
  readonly logits: readonly number[];
  readonly outputs: readonly number[];
  readonly otherLogits: readonly number[];
  readonly fresh: readonly number[];
  readonly ids: Grid;
  readonly behaviorLogp: Grid;
  readonly proximalLogp: Grid;
  readonly referenceLogp: Grid;
  readonly advantage: readonly number[];
  readonly reward: readonly number[];
  readonly cases: {
    readonly [name: string]: { readonly loss: number; readonly gradient: readonly number[] };
  };
}
const oracle = readOracle<Variants & Oracle>('variants') as unknown as Variants;
const { lengths, vocabulary: V } = oracle;
const R = lengths.length;
const T = Math.max(...lengths);
const rows = (grid: Grid): PerToken => oracleRows(oracle as unknown as Oracle, grid);
const { tokens, mask } = oracleAnswers(oracle as unknown as Oracle);
const grouped = (size: number) => Float64Array.from(lengths, (_, r) => Math.floor(r / size));

const table: Table = {
  tokens,
  mask,
  weight: new Float64Array(R).fill(1),
  groupId: grouped(3),
  behaviorLogp: rows(oracle.behaviorLogp),
  'logp/policy': rows(oracle.proximalLogp),
  'logp/initial': rows(oracle.referenceLogp),
  'reward/total': Float64Array.from(oracle.reward),
  advantage: broadcast(oracle.advantage, mask),
  'row/fresh': Float64Array.from(oracle.fresh),
};

/** Loss and gradient in float64, with the logits, or a head's outputs, as the free variable. */
const lossAndGradient = (objective: Objective, from: Table, free: 'logits' | 'outputs') => {
  const shapes = { logits: [R, T, V], outputs: [R, T] } as const;
  const variable = input('free', { dtype: 'float32', shape: [...shapes[free]] });
  const ids = input('ids', { dtype: 'int32', shape: [R, T] });
  const feeds: Record<string, Float64Array | Int32Array> = {
    free: Float64Array.from(oracle[free]),
    ids: Int32Array.from(oracle.ids.flat()),
  };
  const padded = ({ values, offsets }: Pick<PerToken, 'offsets'> & { readonly values: ArrayLike<number> }) =>
    Float64Array.from({ length: R * T }, (_, at) => {
      const r = Math.floor(at / T);
      return at % T < lengths[r] ? values[offsets[r] + (at % T)] : 0;
    });
  const inputs = (at: number): { [name: string]: Expr } =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return ids;
          const column =
            objective.terms[at].prepare(from, { maxTokens: T })[String(name)] ?? from[String(name)];
          const feed = `${at}/${String(name)}`;
          feeds[feed] = isPerToken(column) ? padded(column) : (column as Float64Array);
          return input(feed, { dtype: 'float32', shape: isPerToken(column) ? [R, T] : [R] });
        },
      },
    );
  const ofLogits = (reduce: (logits: Expr) => Expr) => reshape(reduce(reshape(variable, [R * T, V])), [R, T]);
  const other = () => {
    feeds.other = Float64Array.from(oracle.otherLogits);
    return input('other', { dtype: 'float32', shape: [R * T, V] });
  };
  const logp = () => ofLogits((logits) => tokenLogp(logits, reshape(ids, [R * T])));
  const { loss } = buildLoss(objective, inputs, {
    logp,
    entropy: logp,
    meanLogp: () => variable,
    ofLogits: (_, reduce) => ofLogits(reduce),
    against: (_model, _tokens, reduce) => ofLogits((logits) => reduce(logits, other())),
    width: 0,
    shiftedLogp: logp,
    score: () => variable,
    values: () => variable,
    verdicts: () => variable,
    features: () => variable,
    step: noSteps,
    bonus: noSteps,
  });
  const [value, slope] = evaluate([loss, grad(loss, [variable])[0]], feeds);
  return { loss: value.data[0], gradient: slope.data };
};

const heads = new Set(['gumbelPromptValue', 'meanScoreEntropy']);
const cases = oracleCases.variants;

describe('objectives over distributions, stale rows and critics match PyTorch on one fixed batch', () => {
  test('covers every case of the file', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const from = name === 'rewardDifferences' ? { ...table, groupId: grouped(2) } : table;
    const { loss, gradient } = lossAndGradient(objective, from, heads.has(name) ? 'outputs' : 'logits');
    const wanted = oracle.cases[name];
    expect(loss).toBeCloseTo(wanted.loss, 6);
    wanted.gradient.forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
    expect(Math.max(...wanted.gradient.map(Math.abs))).toBeGreaterThan(1e-3);
  });
});
