import { describe, expect, test } from 'vitest';
import * as part from '../../../engine/rl/parts/index.ts';
import { broadcast, gatherTable, type Table } from '../../../engine/rl/kernel/rows.ts';
import {
  lossAndGradient,
  oracleAnswers,
  oracleRows,
  readOracle,
  type Oracle,
} from '../../support/objective-oracle.ts';
import { oracleCases } from '../../support/oracle-cases.ts';

const oracle = readOracle<
  Oracle & { readonly referenceLogp: number[][]; readonly contrast: number[][]; readonly rewards: number[] }
>('preferences');
const R = oracle.lengths.length;
const answers = oracleAnswers(oracle);
const table: Table = {
  ...answers,
  weight: new Float64Array(R).fill(1),
  'logp/initial': oracleRows(oracle, oracle.referenceLogp),
  pairId: Float64Array.from(oracle.lengths, (_, r) => r >> 1),
  chosen: Float64Array.from(oracle.lengths, (_, r) => 1 - (r & 1)),
  agreement: new Float64Array(R).fill(1),
  'reward/total': Float64Array.from(oracle.rewards),
  advantage: broadcast(oracle.rewards, answers.mask),
};

const pointed = (point: number): Table => ({
  ...table,
  'row/reference-point': new Float64Array(R).fill(point),
});
const tables: { readonly [name: string]: Table } = {
  'kto/0.3': pointed(0.4),
  'kto/0.3/below': pointed(0),
  xpo: { ...table, 'row/initial': Float64Array.of(0, 1, 0, 1, 0, 1) },
  'fresh kl': { ...table, 'row/fresh': Float64Array.of(0, 0, 1, 1, 1, 1) },
  'token rewards': { ...table, 'credit/contrast': oracleRows(oracle, oracle.contrast) },
};

const cases = oracleCases.preferences;
const { plainMargin, logisticLoss } = part;

describe('objectives over preferences match TRL on one fixed batch', () => {
  test('covers every case of the file', () =>
    expect(Object.keys(cases).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(cases))('%s', (name, objective) => {
    const wanted = oracle.cases[name];
    const { loss, gradient } = lossAndGradient(objective, tables[name] ?? table, oracle);
    // columns are float32
    expect(Math.abs(loss / wanted.loss - 1)).toBeLessThan(1e-6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 5));
  });
});

test('a tie applies the target in both directions, whichever answer comes first, with or without label smoothing', () => {
  const tied = { ...table, agreement: new Float64Array(R).fill(0.5) };
  for (const labelSmoothing of [0, 0.1]) {
    const { loss, gradient } = lossAndGradient(
      plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1, labelSmoothing }) }),
      tied,
      oracle,
    );
    const swapped = Uint32Array.from(oracle.lengths, (_, r) => r ^ 1);
    const back = {
      ...oracle,
      lengths: [...swapped].map((r) => oracle.lengths[r]),
      logp: [...swapped].map((r) => oracle.logp[r]),
    };
    const other = lossAndGradient(
      plainMargin({ beta: 2, average: 'mean', loss: logisticLoss({ target: 1, labelSmoothing }) }),
      { ...gatherTable(tied, swapped), pairId: table.pairId, chosen: table.chosen },
      back,
    );
    expect(other.loss).toBeCloseTo(loss, 9);
    expect(Array.from(gradient).some((slope) => slope !== 0)).toBe(true);
  }
});

test('a tie between segments is symmetric, however much the worse one counts', () => {
  const { segments } = cases;
  const tied = { ...table, agreement: new Float64Array(R).fill(0.5) };
  const swapped = Uint32Array.from(oracle.lengths, (_, r) => r ^ 1);
  const back = {
    ...oracle,
    lengths: [...swapped].map((r) => oracle.lengths[r]),
    logp: [...swapped].map((r) => oracle.logp[r]),
  };
  const [one, other] = [
    lossAndGradient(segments, tied, oracle),
    lossAndGradient(
      segments,
      { ...gatherTable(tied, swapped), pairId: table.pairId, chosen: table.chosen },
      back,
    ),
  ];
  expect(other.loss).toBeCloseTo(one.loss, 9);
  const T = Math.max(...oracle.lengths);
  swapped.forEach((from, r) => {
    for (let t = 0; t < T; t++) expect(other.gradient[r * T + t]).toBeCloseTo(one.gradient[from * T + t], 9);
  });
});
