import { describe, expect, test } from 'vitest';
import { oracleCases } from '../../support/oracle-cases.ts';
import {
  lossAndGradient,
  oracleAnswers,
  oracleRows,
  readOracle,
  type Oracle,
} from '../../support/objective-oracle.ts';

type Grid = readonly (readonly number[])[];
const oracle = readOracle<Oracle & { readonly other: Grid; readonly share: readonly number[] }>('references');
const others = oracleRows(oracle, oracle.other);
const table = {
  ...oracleAnswers(oracle),
  weight: new Float64Array(oracle.lengths.length).fill(1),
  'logp/average': others,
  'logp/teacher': others,
  'row/distill': Float64Array.from(oracle.share),
};

describe('divergences from snapshots and teachers match PyTorch on one fixed batch', () => {
  test('cover every case of the file', () =>
    expect(Object.keys(oracleCases.references).sort()).toEqual(Object.keys(oracle.cases).sort()));
  test.each(Object.entries(oracleCases.references))('%s', (name, objective) => {
    const { loss, gradient } = lossAndGradient(objective, table, oracle);
    const wanted = oracle.cases[name];
    expect(loss).toBeCloseTo(wanted.loss, 6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
  });
});
