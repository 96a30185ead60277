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
        const answers = Array.from({ length: runs }, (_none, r) =>
          Array.from({ length: problems }, (_other, p) => 1 + ((r + p) % 3)),
        );
        const plan = duelPlan(answers, most, seed);
        const pairs = (runs * (runs - 1)) / 2;
        expect(plan).toHaveLength(Math.min(most, problems * pairs));
        expect(new Set(plan.map(({ problem, a, b }) => `${problem}/${a}/${b}`)).size).toBe(plan.length);
        const timesOf = (values: readonly unknown[]) =>
          [...Map.groupBy(values, (value) => value).values()].map((all) => all.length);
        const byProblem = timesOf(plan.map(({ problem }) => problem));
        expect(Math.max(...byProblem) - Math.min(...byProblem)).toBeLessThanOrEqual(1);
        for (const { problem, a, b, answerA, answerB } of plan) {
          expect(a).toBeLessThan(b);
          expect(answerA).toBeLessThan(answers[a][problem]);
          expect(answerB).toBeLessThan(answers[b][problem]);
        }
        expect(duelPlan(answers, most, seed)).toEqual(plan);
      }),
    );
  });

  it('compares every pair of runs equally often where problems are many', () => {
    const answers = Array.from({ length: 4 }, () => Array.from({ length: 60 }, () => 1));
    const times = Map.groupBy(duelPlan(answers, 60, 3), ({ a, b }) => `${a}/${b}`);
    expect([...times.values()].map((all) => all.length)).toEqual(Array(6).fill(10));
  });
});
