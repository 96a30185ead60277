import { describe, expect, test } from 'vitest';
import { nearestNeighbours } from '../../../engine/labeling/index.ts';

const pointsOf = (rows: readonly (readonly number[])[]) => ({
  values: Float64Array.from(rows.flat()),
  width: rows[0].length,
});
const rowsOf = <T>(values: ArrayLike<T>, k: number): T[][] =>
  Array.from({ length: values.length / k }, (_none, row) => Array.from(values).slice(row * k, (row + 1) * k));

describe('nearest neighbours by cosine', () => {
  test('of directions on a circle are those with the smallest angles, whatever the lengths', async () => {
    const degrees = [0, 10, 25, 90, 180];
    const points = degrees.map((angle, at) => [
      (at + 1) * Math.cos((angle * Math.PI) / 180),
      (at + 1) * Math.sin((angle * Math.PI) / 180),
    ]);
    const { neighbours, cosines, k } = await nearestNeighbours(pointsOf(points), 2);
    expect(k).toBe(2);
    expect(rowsOf(neighbours, 2)).toEqual([
      [1, 2],
      [0, 2],
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    rowsOf(neighbours, 2).forEach((own, row) =>
      own.forEach((other, at) =>
        expect(cosines[2 * row + at]).toBeCloseTo(
          Math.cos(((degrees[row] - degrees[other]) * Math.PI) / 180),
          12,
        ),
      ),
    );
  });

  test('agree with a full sort of all cosines', async () => {
    const rows = Array.from({ length: 60 }, (_none, i) =>
      Array.from({ length: 7 }, (_each, f) => Math.sin(1 + i * (f + 2)) + 0.3),
    );
    const cosine = (a: readonly number[], b: readonly number[]): number =>
      a.reduce((sum, value, f) => sum + value * b[f], 0) / (Math.hypot(...a) * Math.hypot(...b));
    const { neighbours } = await nearestNeighbours(pointsOf(rows), 10);
    rowsOf(neighbours, 10).forEach((found, own) => {
      const sorted = rows
        .map((_row, other) => other)
        .filter((other) => other !== own)
        .sort((a, b) => cosine(rows[own], rows[b]) - cosine(rows[own], rows[a]));
      expect(found).toEqual(sorted.slice(0, 10));
    });
  });

  test('of equal points are the first ones; of few points all others; the origin is near none', async () => {
    const { neighbours, cosines, k } = await nearestNeighbours(
      pointsOf([
        [0, 0],
        [1, 1],
        [2, 2],
      ]),
      10,
    );
    expect(k).toBe(2);
    expect(rowsOf(neighbours, 2)).toEqual([
      [1, 2],
      [2, 0],
      [1, 0],
    ]);
    expect(cosines[0]).toBe(0);
    expect(cosines[2]).toBeCloseTo(1, 12);
    expect((await nearestNeighbours(pointsOf([[1, 2]]), 10)).k).toBe(0);
    expect((await nearestNeighbours({ values: new Float64Array(), width: 0 }, 10)).neighbours).toHaveLength(
      0,
    );
  });
});
