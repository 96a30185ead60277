import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { principalPlane, symmetricEigen } from '../../../engine/index.ts';

/** Points as rows of features. */
const pointsOf = (rows: readonly (readonly number[])[]) => ({
  values: Float64Array.from(rows.flat()),
  width: rows[0].length,
});
const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(a[0] - b[0], a[1] - b[1]);

describe('the plane of the two leading principal components', () => {
  it('keeps the distances of points that lie in a plane', async () => {
    const flat = Array.from({ length: 40 }, (_none, i) => [Math.sin(3 * i) * 4, Math.cos(7 * i)]);
    // two orthogonal directions of four; each feature has a mean square of its own, so unscale by it
    const raw = flat.map(([a, b]) => [a + b, a - b, 2 * a, 2 * b]);
    const scales = [0, 1, 2, 3].map((f) => Math.sqrt(raw.reduce((sum, row) => sum + row[f] ** 2, 0) / 40));
    const scaled = raw.map((row) => row.map((value, f) => value / scales[f]));
    const { x, y, explained } = await principalPlane(pointsOf(raw));
    for (let i = 1; i < 40; i++) {
      const apart = Math.hypot(...scaled[0].map((value, f) => value - scaled[i][f]));
      expect(distance([x[0], y[0]], [x[i], y[i]])).toBeCloseTo(apart, 10);
    }
    expect(explained[0] + explained[1]).toBeCloseTo(1, 12);
  });

  it('has the known axes of four corners of a rectangle, the longer side first', async () => {
    // a constant feature adds nothing
    const { x, y, explained } = await principalPlane(
      pointsOf([
        [3, 3, 1],
        [-3, -3, 1],
        [1, -1, 1],
        [-1, 1, 1],
      ]),
    );
    // both features have a mean square of 5, so the points are divided by its root
    const root = Math.sqrt(5);
    [3 * Math.SQRT2, -3 * Math.SQRT2, 0, 0].forEach((value, i) => expect(x[i]).toBeCloseTo(value / root, 12));
    [0, 0, Math.SQRT2, -Math.SQRT2].forEach((value, i) => expect(y[i]).toBeCloseTo(value / root, 12));
    expect(explained[0]).toBeCloseTo(0.9, 12);
    expect(explained[1]).toBeCloseTo(0.1, 12);
  });

  it('puts equal points, a single one and none where they belong', async () => {
    const same = await principalPlane(pointsOf(Array.from({ length: 5 }, () => [2, 0, 1])));
    expect([...same.x, ...same.y].every((value) => Math.abs(value) < 1e-12)).toBe(true);
    expect([...(await principalPlane(pointsOf([[1, 2]]))).x]).toEqual([0]);
    expect((await principalPlane({ values: new Float64Array(0), width: 3 })).x).toHaveLength(0);
    expect([...(await principalPlane(pointsOf([[1], [-1]]))).y]).toEqual([0, 0]);
  });

  it('does not depend on the order of the points', async () => {
    const rows = Array.from({ length: 30 }, (_none, i) => [
      Math.sin(i),
      Math.cos(2 * i),
      Math.sin(5 * i) / 2,
    ]);
    const [there, back] = [
      await principalPlane(pointsOf(rows)),
      await principalPlane(pointsOf(rows.toReversed())),
    ];
    rows.forEach((_row, i) => {
      expect(back.x[29 - i]).toBeCloseTo(there.x[i], 10);
      expect(back.y[29 - i]).toBeCloseTo(there.y[i], 10);
    });
  });
});

it('decomposes any symmetric matrix into orthonormal vectors and its values, the largest first', () => {
  const entries = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 36, maxLength: 36 });
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 6 }), (given, n) => {
      const matrix = Float64Array.from({ length: n * n }, (_none, at) => {
        const [i, j] = [Math.floor(at / n), at % n];
        return given[Math.min(i, j) * 6 + Math.max(i, j)];
      });
      const { values, vectors } = symmetricEigen(matrix, n);
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) {
          let [rebuilt, product] = [0, 0];
          for (let k = 0; k < n; k++) {
            rebuilt += vectors[i * n + k] * values[k] * vectors[j * n + k];
            product += vectors[k * n + i] * vectors[k * n + j];
          }
          expect(Math.abs(rebuilt - matrix[i * n + j])).toBeLessThan(1e-10);
          expect(Math.abs(product - Number(i === j))).toBeLessThan(1e-12);
        }
      expect([...values]).toEqual([...values].sort((a, b) => b - a));
    }),
    { numRuns: 200, seed: 1 },
  );
});
