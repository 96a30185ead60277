import { expect, test } from 'vitest';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import { lossAndGradient, oracleRows, readOracle, type Oracle } from '../../support/objective-oracle.ts';
import { oracleCases } from '../../support/oracle-cases.ts';

type Rows = readonly (readonly number[])[];
const oracle = readOracle<
  Oracle & {
    readonly [name in 'mask' | 'end' | 'behaviorLogp' | 'outputs' | 'advantage' | 'action' | 'state']: Rows;
  } & { readonly weight: readonly number[]; readonly reward: readonly number[] }
>('turns');
const { lengths } = oracle;
const exact = (values: Rows) =>
  ragged(
    values.map((row, r) => row.slice(0, lengths[r])),
    Float64Array,
  );

test('covers every case of the file', () =>
  expect(Object.keys(oracleCases.turns).sort()).toEqual(Object.keys(oracle.cases).sort()));
test.each(Object.entries(oracleCases.turns))(
  '%s matches PyTorch on one fixed batch',
  async (name, objective) => {
    const table: Table = {
      tokens: ragged(lengths, Int32Array, (n) => new Int32Array(n)),
      mask: ragged(oracle.mask, Uint8Array),
      stepEnd: ragged(oracle.end, Uint8Array),
      weight: Float64Array.from(oracle.weight),
      'reward/total': Float64Array.from(oracle.reward),
      behaviorLogp: oracleRows(oracle, oracle.behaviorLogp),
      advantage: exact(oracle.advantage),
      'credit/action': exact(oracle.action),
      'credit/state': exact(oracle.state),
    };
    const logp = name.startsWith('stepSurrogate') ? oracle.logp : oracle.outputs;
    const { loss, gradient } = lossAndGradient(objective, table, { ...oracle, logp });
    const wanted = oracle.cases[name];
    expect(loss).toBeCloseTo(wanted.loss, 6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
  },
);
