import { expect, test } from 'vitest';
import { normals } from '../../../engine/random/random.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { appendRows, gatherTable, observedRow, ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { runPart } from '../../support/run-part.ts';

const D = 2;
const z = [
  [0.6, -0.8],
  [0, 1],
  [1, 0],
  [0.8, 0.6],
  [-1, 0],
];
const tokens = {
  ...ragged(
    z.map((_, r) => [1, 5 + r, 7]),
    Int32Array,
  ),
  observed: { values: Float32Array.from(z.flatMap((own) => [...own, 0, 0, 0, 0])), width: 2 },
};
/** Rows 0 to 2 are a group, 3 and 4 another, whose answers are equal. */
const table: Table = {
  tokens,
  mask: ragged(z, Uint8Array, () => [0, 1, 1]),
  groupId: Float64Array.of(0, 0, 0, 1, 1),
  'reward/total': Float64Array.of(1, 0, 1, 0, 0),
};
/** Means over the two answer tokens: (1, 2), (3, 0), (−1, 1), and twice (2, 2). */
const means = [
  [1, 2],
  [3, 0],
  [-1, 1],
  [2, 2],
  [2, 2],
];

test('the bonus along a direction is a hand calculation; the initial model reads none', async () => {
  let asked: PerToken<Int32Array> | undefined;
  const initial = {
    states: (rows: PerToken<Int32Array>) => {
      asked = rows;
      const values = means.flatMap(([a, b]) => [9, 9, a - 1, b + 3, a + 1, b - 3]);
      return Promise.resolve({ values: Float32Array.from(values), width: D });
    },
  };
  const after = await runPart(part.alongLatent({ weight: 0.5 }), table, {
    ports: { 'model/initial': initial },
  });
  expect(asked).toEqual(
    ragged(
      z.map((_, r) => [1, 5 + r, 7]),
      Int32Array,
    ),
  );
  const projection = new Float32Array(D * 2);
  normals(projection, 0, 'projection of states', D, 2);
  const bonus = [0, 1, 2].map((r) => {
    const [x, y] = [means[r][0] - 1, means[r][1] - 1];
    const phi = [0, 1].map((k) => x * projection[k] + y * projection[2 + k]);
    return (phi[0] * z[r][0] + phi[1] * z[r][1]) / Math.hypot(...phi);
  });
  const total = after['reward/total'] as Float64Array;
  [1 + bonus[0] / 2, bonus[1] / 2, 1 + bonus[2] / 2, 0, 0].forEach((expected, r) =>
    expect(total[r]).toBeCloseTo(expected, 6),
  );
});

test('directions stay with their rows, and rows without one get zeros beside others', () => {
  const turned = gatherTable({ tokens }, Uint32Array.of(2, 0)).tokens as PerToken<Int32Array>;
  expect([...observedRow(turned, 0)]).toEqual([1, 0, 0, 0, 0, 0]);
  const plain = ragged([[1, 2]], Int32Array);
  const both = appendRows({ tokens: plain }, { tokens: turned }).tokens as PerToken<Int32Array>;
  expect([0, 1].map((r) => [...observedRow(both, r)])).toEqual([
    [0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0],
  ]);
});
