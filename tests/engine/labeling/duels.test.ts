import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duelPlan } from '../../../engine/labeling/index.ts';

describe('the plan of a head-to-head', () => {
  it('takes each problem once before any twice, and the pairs of runs about equally often', () => {
    const sizes = fc.record({
      runs: fc.integer({ min: 2, max: 5 }),
      problems: fc.integer({ min: 1, max: 12 }),
      most: fc.integer({ min: 1, max: 150 }),
      seed: fc.nat(1000),
    });
    fc.assert(
      fc.property(sizes, ({ runs, problems, most, seed }) => {
        const plan = duelPlan(runs, problems, most, seed);
        const pairs = (runs * (runs - 1)) / 2;
        expect(plan).toHaveLength(Math.min(most, problems * pairs));
        expect(new Set(plan.map(({ problem, a, b }) => `${problem}/${a}/${b}`)).size).toBe(plan.length);
        const timesOf = (values: readonly unknown[]) =>
          [...Map.groupBy(values, (value) => value).values()].map((all) => all.length);
        const byProblem = timesOf(plan.map(({ problem }) => problem));
        expect(Math.max(...byProblem) - Math.min(...byProblem)).toBeLessThanOrEqual(1);
        for (const { a, b, drawA, drawB } of plan) {
          expect(a).toBeLessThan(b);
          for (const draw of [drawA, drawB]) expect(draw > 0 && draw < 1).toBe(true);
        }
        expect(duelPlan(runs, problems, most, seed)).toEqual(plan);
      }),
    );
  });

  it('compares every pair of runs equally often where problems are many', () => {
    const times = Map.groupBy(duelPlan(4, 60, 60, 3), ({ a, b }) => `${a}/${b}`);
    expect([...times.values()].map((all) => all.length)).toEqual(Array(6).fill(10));
  });
});
