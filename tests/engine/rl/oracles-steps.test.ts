import { expect, test } from 'vitest';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { enumerable } from '../../../engine/rl/kernel/optimum.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { ragged, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import { lossAndGradient, oracleRows, readOracle, type Oracle } from '../../support/objective-oracle.ts';
import { oracleCases } from '../../support/oracle-cases.ts';

type Rows = readonly (readonly number[])[];
const oracle = readOracle<
  Oracle & {
    readonly mask: Rows;
    readonly end: Rows;
    readonly weight: readonly number[];
    readonly reward: readonly number[];
    readonly gain: readonly number[];
    readonly lambda: number;
    readonly behaviorLogp: Rows;
    readonly logits: Rows;
    readonly credit: { readonly [lambda: string]: Rows };
  }
>('steps');
const { lengths, lambda } = oracle;
const mask = ragged(oracle.mask, Uint8Array);
const stepEnd = ragged(oracle.end, Uint8Array);

const credited = async (lambda_: number): Promise<PerToken<Float64Array>> => {
  const inputs = {
    mask,
    stepEnd,
    values: oracleRows(oracle, oracle.logits),
    'reward/total': Float64Array.from(oracle.reward),
  };
  const { columns } = (await part.stepAdvantages({ lambda: lambda_ }).run(inputs as never, {} as never)) as {
    columns: { 'credit/step': PerToken<Float64Array> };
  };
  return columns['credit/step'];
};

test.each(Object.keys(oracle.credit))(
  'credits each step with its change of the critic’s value, λ = %s',
  async (key) => {
    const found = await credited(Number(key));
    lengths.forEach((_, r) => {
      const ends = rowOf(stepEnd, r);
      const row = rowOf(found, r);
      expect([...row].filter((__, t) => ends[t] === 0).every((value) => value === 0)).toBe(true);
      [...row]
        .filter((__, t) => ends[t] === 1)
        .forEach((value, s) => expect(value).toBeCloseTo(oracle.credit[key][r][s], 6));
    });
  },
);

test('covers every case of the file', () =>
  expect(Object.keys(oracleCases.steps).sort()).toEqual(Object.keys(oracle.cases).sort()));
test.each(Object.entries(oracleCases.steps))(
  '%s matches PyTorch on one fixed batch',
  async (name, objective) => {
    const logp = name === 'prefixValue' ? oracle.logits : oracle.logp;
    const table: Table = {
      tokens: ragged(lengths, Int32Array, (n) => new Int32Array(n)),
      mask,
      stepEnd,
      weight: Float64Array.from(oracle.weight),
      'reward/total': Float64Array.from(oracle.reward),
      behaviorLogp: oracleRows(oracle, oracle.behaviorLogp),
      'credit/step': await credited(lambda),
      'logp/initial': oracleRows(oracle, oracle.behaviorLogp),
      'row/gain': Float64Array.from(oracle.gain),
      pairId: Float64Array.of(0, 0, 1, 1),
      chosen: Float64Array.of(1, 0, 1, 0),
      agreement: new Float64Array(4).fill(1),
    };
    const { loss, gradient } = lossAndGradient(objective, table, { ...oracle, logp });
    const wanted = oracle.cases[name];
    expect(loss).toBeCloseTo(wanted.loss, 6);
    wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
  },
);

test.each([
  ['token', [1, 1, 1, 1, 1, 1]],
  ['line', [0, 1, 0, 1, 1, 1]],
  ['turn', [0, 0, 0, 1, 0, 1]],
] as const)('steps by %s end at their boundaries', async (step, wanted) => {
  // a prompt, a line, the start of the next one, a reply of the world; the second turn
  const tokens = [0, 7, 9, 7, 7, 5, 5, 9, 7];
  const written = [0, 1, 1, 1, 1, 0, 0, 1, 1];
  const inputs = { tokens: ragged([tokens], Int32Array), mask: ragged([written], Uint8Array) };
  const { columns } = (await part
    .stepEnds({ step })
    .run(inputs as never, { text: { decode: ([id]: number[]) => (id === 9 ? 'x\n' : 'x') } } as never)) as {
    columns: { stepEnd: PerToken<Uint8Array> };
  };
  expect([...columns.stepEnd.values].filter((_, t) => written[t] === 1)).toEqual(wanted);
  expect([...columns.stepEnd.values].filter((_, t) => written[t] === 0)).toEqual([0, 0, 0]);
});

test(
  'the fixed point is β·log π/π_ref + κ·π/π_ref = A for one κ, and the best answer alone if each batch ' +
    'has its own reference',
  () => {
    const method = methods.find(({ id }) => id === 'direct-advantage');
    const reference = [0.2, 0.3, 0.5];
    const own = 0.25;
    // rewards count as clipped to 0–1: A = r − 0.2
    const found =
      method?.optimum(enumerable({ rewards: [1, 0, -1], reference }), { beta: own }) ?? new Float64Array();
    [0.706177, 0.110184, 0.183639].forEach((p, i) => expect(found[i]).toBeCloseTo(p, 5));
    const kappas = [0.8, -0.2, -0.2].map(
      (a, i) => (a - own * Math.log(found[i] / reference[i])) * (reference[i] / found[i]),
    );
    const divergence = reference.reduce((sum, p, i) => sum + p * Math.log(p / found[i]), 0);
    kappas.forEach((kappa) => expect(kappa).toBeCloseTo(own * divergence, 6));
    expect([
      ...(method?.optimum(enumerable({ rewards: [1, 0, -1], reference }), { beta: own, writer: 'policy' }) ??
        []),
    ]).toEqual([1, 0, 0]);
  },
);
