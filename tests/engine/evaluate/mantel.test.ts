import { describe, expect, it } from 'vitest';
import { distancesOf, mantelTest, pearson } from '../../../engine/evaluate/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { caught } from '../../support/errors.ts';

const points = [
  [0, 0],
  [1, 0],
  [3, 1],
  [0, 4],
  [5, 5],
  [2, 2],
];
const others = [[1], [2], [2], [7], [9], [4]];
/** Of NumPy: `corrcoef` of the distances above the diagonal, and all 720 orders of the items. */
const [R, P] = [0.8003912980378393, 2 / 720];

const below = (matrix: ArrayLike<number>, n: number): number[] =>
  Array.from({ length: n * n }, (_none, at) => at)
    .filter((at) => at % n < Math.floor(at / n))
    .map((at) => matrix[at]);

describe('Mantel’s test', () => {
  const [a, b] = [distancesOf(points), distancesOf(others)];
  it('correlates the distances of pairs, each once', () => {
    expect(a[3 * 6 + 4]).toBeCloseTo(Math.sqrt(26), 12);
    expect(a[4 * 6 + 3]).toBe(a[3 * 6 + 4]);
    const found = mantelTest(a, b);
    expect(found?.n).toBe(6);
    expect(found?.r).toBeCloseTo(R, 12);
    expect(found?.r).toBeCloseTo(pearson(below(a, 6), below(b, 6)), 12);
  });
  it('has a seeded p that agrees with the one of all orders', () => {
    const permutations = 20_000;
    const found = mantelTest(a, b, { permutations, seed: 4 })?.p ?? Number.NaN;
    // four standard errors of a share of so many
    expect(Math.abs(found - P)).toBeLessThan(4 * Math.sqrt((P * (1 - P)) / permutations) + 1 / permutations);
    expect(mantelTest(a, b, { permutations, seed: 4 })?.p).toBe(found);
    expect(mantelTest(a, b, { permutations, seed: 5 })?.p).not.toBe(found);
  });
  it('is one-sided: of distances that disagree, p is near 1', () => {
    // far apart in one where near in the other
    const found = mantelTest(
      a,
      b.map((value, at) => (Math.floor(at / 6) === at % 6 ? 0 : 10 - value)),
    );
    expect(found?.r).toBeCloseTo(-R, 12);
    expect(found?.p).toBeGreaterThan(0.9);
  });
  it('with groups compares pairs of one group alone, and lets items change places within theirs', () => {
    const groups = [0, 0, 0, 1, 1, 1];
    const within = [1, 2, 2, 4, 5, 5].map((i, at) => [i, [0, 0, 1, 3, 3, 4][at]] as const);
    const of = (matrix: ArrayLike<number>) => within.map(([i, j]) => matrix[i * 6 + j]);
    const r = pearson(of(a), of(b));
    // all 36 orders: the share that gives at least r
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    const all = orders.flatMap((one) => orders.map((other) => [...one, ...other.map((at) => at + 3)]));
    const hits = all.filter(
      (order) =>
        pearson(
          of(a),
          within.map(([i, j]) => b[order[i] * 6 + order[j]]),
        ) >=
        r - 1e-9,
    ).length;
    const permutations = 20_000;
    const found = mantelTest(a, b, { groups, permutations });
    expect(found?.r).toBeCloseTo(r, 12);
    expect(found?.p).toBeGreaterThan(0);
    expect(Math.abs((found?.p ?? 0) - hits / 36)).toBeLessThan(0.015);
    expect(caught(() => mantelTest(a, b, { groups: [0, 1] })).message).toBe('6 items have 2 groups.');
    // no two items of one group
    expect(mantelTest(a, b, { groups: [0, 1, 2, 3, 4, 5] })).toBeNull();
  });
  it('is 1 with the least p where both are the same, whatever the units', () => {
    const random = stream(3, 'points');
    const many = Array.from({ length: 30 }, () => [random.normal(), random.normal(), random.normal()]);
    const own = distancesOf(many);
    const found = mantelTest(
      own,
      own.map((value) => 7 * value),
    );
    expect(found?.r).toBeCloseTo(1, 12);
    expect(found?.p).toBe(1 / 1000);
  });
  it('rejects independent distances in about one of twenty draws', () => {
    const rejections = Array.from({ length: 200 }, (_none, draw) => {
      const random = stream(draw, 'independent points');
      const place = () => Array.from({ length: 12 }, () => [random.normal(), random.normal()]);
      const found = mantelTest(distancesOf(place()), distancesOf(place()), { permutations: 99, seed: draw });
      return (found?.p ?? 0) <= 0.05;
    }).filter(Boolean).length;
    // five standard errors around 10 of 200
    expect(Math.abs(rejections - 10)).toBeLessThan(5 * Math.sqrt(200 * 0.05 * 0.95));
  });
  it('is none for two items, and where all are as far apart', () => {
    expect(mantelTest(distancesOf([[1], [2]]), distancesOf([[1], [2]]))).toBeNull();
    expect(mantelTest(a, distancesOf(points.map(() => [0])))).toBeNull();
    // the corners of a triangle with equal sides, with rounding
    const triangle = distancesOf([
      [0, 0],
      [1, 0],
      [0.5, Math.sqrt(3) / 2],
    ]);
    expect(mantelTest(triangle, distancesOf([[1], [2], [4]]))).toBeNull();
  });
  it('refuses distances that are no matrix, of unequal sizes, or not finite', () => {
    expect(caught(() => mantelTest([0, 1, 2], [0, 1, 2]))).toMatchObject({ kind: 'invalid-input' });
    expect(caught(() => mantelTest(a, distancesOf(points.slice(1))))).toMatchObject({
      kind: 'invalid-input',
    });
    expect(caught(() => mantelTest(a, new Float64Array(36).fill(Number.NaN)))).toMatchObject({
      kind: 'numeric',
    });
  });
});
