import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holm, parameterImportance, spearman } from '../../../engine/evaluate/index.ts';

describe('the importance of a parameter', () => {
  it('is Spearman’s ρ² for numbers, with the exact p of all orders', () => {
    const found = parameterImportance([1, 2, 3, 4], [10, 30, 20, 40]);
    // ρ = .8; of 24 orders 1 has ρ = 1, 3 have .8, and as many are negative
    expect(found).toEqual({
      n: 4,
      share: expect.closeTo(0.64, 12),
      correlation: expect.closeTo(0.8, 12),
      p: 8 / 24,
    });
  });
  it('is the Kruskal–Wallis statistic over n − 1 for texts', () => {
    // ranks 1 2 3 | 4 5 6: H = 12 / 42 · (36 / 3 + 225 / 3) − 21 = 27 / 7
    const found = parameterImportance(['a', 'a', 'a', 'b', 'b', 'b'], [1, 2, 3, 4, 5, 6]);
    expect(found?.share).toBeCloseTo(27 / 7 / 5, 12);
    expect(found?.correlation).toBeNull();
    // 2 of the 20 ways to choose three of six
    expect(found?.p).toBeCloseTo(0.1, 12);
  });
  it('is 1 with p = 1 where each run has a value of its own', () => {
    expect(parameterImportance(['a', 'b', 'c', 'd'], [4, 1, 3, 2])).toMatchObject({ share: 1, p: 1 });
  });
  it('has a p from seeded orders that agrees with the exact one', () => {
    const parameter = [1, 2, 3, 4, 5, 6, 7];
    const result = [1, 3, 2, 5, 4, 7, 6];
    const exact = parameterImportance(parameter, result)?.p ?? Number.NaN;
    const drawn = parameterImportance(parameter, result, { orders: 4000, seed: 3 })?.p ?? Number.NaN;
    // three standard errors of a share of 4000
    expect(Math.abs(drawn - exact)).toBeLessThan(3 * Math.sqrt((exact * (1 - exact)) / 4000) + 1 / 4000);
    expect(parameterImportance(parameter, result, { orders: 4000, seed: 3 })?.p).toBe(drawn);
  });
  it('is none for a constant parameter, a constant result, or two runs', () => {
    expect(parameterImportance([1, 1, 1], [1, 2, 3])).toBeNull();
    expect(parameterImportance(['a', 'b', 'c'], [2, 2, 2])).toBeNull();
    expect(parameterImportance([1, 2], [1, 2])).toBeNull();
  });
  it('does not change when runs are given in another order', () => {
    const run = fc.record({ value: fc.constantFrom('a', 'b', 'c'), result: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(run, { minLength: 3, maxLength: 6 }), (runs) => {
        const of = (list: typeof runs) =>
          parameterImportance(
            list.map(({ value }) => value),
            list.map(({ result }) => result),
          );
        const [forwards, backwards] = [of(runs), of(runs.toReversed())];
        expect(forwards === null).toBe(backwards === null);
        expect(forwards?.share ?? 0).toBeCloseTo(backwards?.share ?? 0, 9);
        expect(forwards?.p ?? 0).toBeCloseTo(backwards?.p ?? 0, 9);
      }),
      { numRuns: 30 },
    );
  });
  it('agrees with the correlation of the same ranks', () => {
    const [xs, ys] = [
      [3, 1, 4, 1, 5, 9, 2, 6],
      [2, 7, 1, 8, 2, 8, 1, 8],
    ];
    expect(parameterImportance(xs, ys, { orders: 50 })?.share).toBeCloseTo(spearman(xs, ys) ** 2, 12);
  });
});

describe('Holm’s correction', () => {
  it('multiplies the smallest by the number of tests, and never falls', () => {
    // as p.adjust(c(.01, .04, .03, .005), "holm") in R
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
