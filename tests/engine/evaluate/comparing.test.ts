/** Differences and aggregates against rliable, SciPy and statsmodels (tests/support/oracles/comparing.py). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  aggregateIntervals,
  aggregatesOf,
  groupDifference,
  holm,
  mcNemar,
  mean,
  pairedMean,
  performanceProfile,
  probabilityOfImprovement,
  problemsNeeded,
  signFlipTest,
  studentBound,
  studentInterval,
  studentTails,
  winsOf,
} from '../../../engine/evaluate/index.ts';
import { RandomStream } from '../../../engine/random/random.ts';

type Pair = [number, number];
interface Numbers {
  readonly paired: readonly { a: number[]; b: number[]; flip: number; t: number; interval: Pair }[];
  readonly real: { readonly values: number[]; readonly t: number };
  readonly tails: readonly { t: number; df: number; p: number }[];
  readonly bounds: readonly { df: number; t: number }[];
  readonly mcnemar: readonly { a: number; b: number; p: number }[];
  readonly holm: { readonly ps: number[]; readonly adjusted: number[] };
  readonly scores: { readonly x: number[][]; readonly y: number[][] };
  readonly aggregates: Readonly<Record<'x' | 'y', { point: number[]; interval: [number[], number[]] }>>;
  readonly improvement: { readonly point: number; readonly interval: Pair };
  readonly profile: { readonly thresholds: number[]; readonly x: number[] };
}
const theirs = JSON.parse(
  readFileSync(new URL('../../support/oracles/comparing.json', import.meta.url), 'utf8'),
) as Numbers;
const differenceOf = ({ a, b }: { a: number[]; b: number[] }) => b.map((value, i) => value - a[i]);

describe('Student’s t', () => {
  it.each(theirs.tails)('has the tails of SciPy at $t with $df degrees of freedom', ({ t, df, p }) => {
    expect(studentTails(t, df) / p).toBeCloseTo(1, 9);
    expect(studentTails(-t, df)).toBe(studentTails(t, df));
  });

  it.each(theirs.bounds)('has the 97.5 % point of SciPy with $df degrees of freedom', ({ df, t }) => {
    expect(studentBound(0.95, df) / t).toBeCloseTo(1, 9);
  });
});

describe('a paired difference', () => {
  it.each(theirs.paired)('has the interval of SciPy and the p-value of all sign flips: $flip', (pair) => {
    const found = pairedMean(differenceOf(pair));
    expect(found.p).toBeCloseTo(pair.flip, 10);
    expect(found.interval?.[0]).toBeCloseTo(pair.interval[0], 9);
    expect(found.interval?.[1]).toBeCloseTo(pair.interval[1], 9);
  });

  it('falls back to the t-test where the values have no common unit', () => {
    expect(signFlipTest(theirs.real.values)).toBeCloseTo(theirs.real.t, 9);
  });

  it('is McNemar’s exact test with one answer per problem', () => {
    for (const { a, b, p } of theirs.mcnemar) {
      expect(mcNemar(a, b)).toBeCloseTo(p, 10);
      const differences = [...Array<number>(a).fill(1), ...Array<number>(b).fill(-1), 0, 0];
      expect(signFlipTest(differences)).toBeCloseTo(p, 10);
    }
  });

  it('of one problem has neither interval nor p-value', () => {
    expect(pairedMean([0.5], [-1, 1])).toEqual({
      difference: 0.5,
      interval: null,
      p: null,
      deviation: null,
      problems: 1,
    });
  });

  it('of equal differences allows for problems that were not seen', () => {
    const same = pairedMean(Array<number>(100).fill(0), [-1, 1]);
    const unseen = 3.841458820694124 / 103.841458820694124;
    expect(same.interval?.[0]).toBeCloseTo(-unseen, 12);
    expect(same.interval?.[1]).toBeCloseTo(unseen, 12);
    expect(same.p).toBe(1);
    const all = pairedMean(Array<number>(5).fill(1), [-1, 1]);
    expect(all.interval?.[1]).toBe(1);
    expect(all.p).toBe(2 / 32);
    expect(pairedMean([3, 3, 3]).interval, 'lengths have no bounds').toBeNull();
  });

  it('stays within its bounds', () => {
    const [low, high] = pairedMean([1, 1, 1, 1, 0.5], [-1, 1]).interval ?? [Number.NaN, Number.NaN];
    expect(high).toBe(1);
    expect(low).toBeLessThan(0.9);
  });

  it('names the number of problems of a test with 80 % power', () => {
    // (1.959964 + 0.841621)² · 0.25 / 0.02² = 4905.6
    expect(problemsNeeded(0.5, 0.02)).toBe(4906);
    expect(problemsNeeded(0, 0.02)).toBe(2);
  });
});

describe('a difference of groups of seeds', () => {
  it('counts a problem as often as it was drawn, and still as one unit', () => {
    const differences = [0.5, -0.25, 0, 0.75];
    const weights = [1, 2, 1, 4];
    const found = pairedMean(differences, null, weights);
    expect(found.difference).toBeCloseTo((0.5 - 0.5 + 0 + 3) / 8, 12);
    // the ratio estimator's variance: Σ w² (d − D)² ∕ (Σw)² · n ∕ (n − 1), with Student's t of 3 degrees of freedom
    const squares = weights.map((w, at) => (w * (differences[at] - found.difference)) ** 2);
    const variance = ((squares.reduce((sum, x) => sum + x, 0) / 64) * 4) / 3;
    expect((found.interval?.[1] ?? 0) - found.difference).toBeCloseTo(3.18244630528 * Math.sqrt(variance), 8);
    const equal = pairedMean(differences, null, [3, 3, 3, 3]);
    const plain = pairedMean(differences);
    expect(equal.difference).toBeCloseTo(plain.difference, 12);
    expect(equal.deviation).toBeCloseTo(plain.deviation ?? 0, 12);
    expect(equal.p).toBe(plain.p);
    expect(() => pairedMean(differences, null, [1, 1, 1])).toThrow(/weights/);
    expect(() => pairedMean(differences, null, [1, 1, 1, 0])).toThrow('Weights are finite and more than 0.');
  });

  it('is the paired difference for one seed each', () => {
    const [{ a, b }] = theirs.paired;
    expect(groupDifference([a], [b])).toEqual(pairedMean(differenceOf({ a, b })));
  });

  it('covers the planted difference in about 95 of 100 repetitions, where seeds vary', () => {
    const draw = new RandomStream(3, 'coverage');
    const normal = () => Math.sqrt(-2 * Math.log(draw.next())) * Math.cos(2 * Math.PI * draw.next());
    let [covered, naive] = [0, 0];
    const repetitions = 400;
    for (let turn = 0; turn < repetitions; turn++) {
      const hardness = Array.from({ length: 60 }, normal);
      const group = (gain: number) =>
        Array.from({ length: 4 }, () => {
          const seed = 0.5 * normal();
          return hardness.map((base) => base + gain + seed + 0.3 * normal());
        });
      const [a, b] = [group(0), group(0.4)];
      const [low, high] = groupDifference(a, b).interval ?? [0, 0];
      covered += Number(low <= 0.4 && 0.4 <= high);
      const means = (scores: number[][]) => scores[0].map((_, p) => mean(scores.map((row) => row[p])));
      const [from, to] = pairedMean(differenceOf({ a: means(a), b: means(b) })).interval ?? [0, 0];
      naive += Number(from <= 0.4 && 0.4 <= to);
    }
    expect(covered / repetitions).toBeGreaterThan(0.93);
    expect(covered / repetitions).toBeLessThan(0.995);
    expect(naive / repetitions, 'the variance of problems alone is too small').toBeLessThan(0.5);
  });
});

describe('aggregates over seeds', () => {
  const names = ['mean', 'median', 'iqm', 'optimalityGap'] as const;
  it.each(['x', 'y'] as const)('of %s are those of rliable, with its intervals', (group) => {
    const own = aggregatesOf(theirs.scores[group]);
    const intervals = aggregateIntervals(theirs.scores[group]);
    const { point, interval } = theirs.aggregates[group];
    names.forEach((name, at) => {
      expect(own[name]).toBeCloseTo(point[at], 12);
      const width = interval[1][at] - interval[0][at];
      for (const end of [0, 1])
        expect(Math.abs((intervals?.[name][end] ?? Number.NaN) - interval[end][at])).toBeLessThan(
          0.1 * width,
        );
    });
  });

  it('give the probability of improvement of rliable', () => {
    const { value, interval } = probabilityOfImprovement(theirs.scores.x, theirs.scores.y);
    const { point, interval: ends } = theirs.improvement;
    expect(value).toBeCloseTo(point, 12);
    ends.forEach((end, at) =>
      expect(Math.abs((interval?.[at] ?? Number.NaN) - end)).toBeLessThan(0.1 * (ends[1] - ends[0])),
    );
    const back = probabilityOfImprovement(theirs.scores.y, theirs.scores.x);
    expect(value + back.value).toBeCloseTo(1, 12);
  });

  it('count a problem as often as it was drawn', () => {
    const weights = theirs.scores.x[0].map((_score: number, at: number) => 1 + (at % 3));
    const repeated = (scores: readonly (readonly number[])[]) =>
      scores.map((row) => row.flatMap((score, at) => new Array<number>(weights[at]).fill(score)));
    const [x, y] = [repeated(theirs.scores.x), repeated(theirs.scores.y)];
    const [own, expected] = [aggregatesOf(theirs.scores.x, weights), aggregatesOf(x)];
    for (const name of names) expect(own[name]).toBeCloseTo(expected[name], 12);
    expect(own.iqm).not.toBeCloseTo(aggregatesOf(theirs.scores.x).iqm, 4);
    const improved = probabilityOfImprovement(theirs.scores.x, theirs.scores.y, { weights });
    expect(improved.value).toBeCloseTo(probabilityOfImprovement(x, y).value, 12);
    const [low, high] = aggregateIntervals(theirs.scores.x, { weights })?.mean ?? [Number.NaN, Number.NaN];
    expect([low < own.mean, own.mean < high]).toEqual([true, true]);
    expect(() => aggregatesOf([[1, 2]], [1, 0])).toThrow('more than 0');
    expect(() => aggregatesOf([[1, 2]], [1])).toThrow();
  });

  it('give the performance profile, and no interval of one run', () => {
    expect(performanceProfile(theirs.scores.x, theirs.profile.thresholds)).toEqual(theirs.profile.x);
    expect(aggregateIntervals([[0.5, 1]])).toBeNull();
    expect(probabilityOfImprovement([[1, 0]], [[0, 0]])).toEqual({ value: 0.75, interval: null });
  });
});

it('Holm’s correction is that of statsmodels', () => {
  holm(theirs.holm.ps).forEach((p, i) => expect(p).toBeCloseTo(theirs.holm.adjusted[i], 12));
  expect(holm([])).toEqual([]);
});

it('wins count signs, and a rounding error is no win', () => {
  const { better, equal, worse, problems } = winsOf([0.5, 1e-16, 0, -1, 0.1]);
  expect({ better, equal, worse, problems }).toEqual({ better: 2, equal: 2, worse: 1, problems: 5 });
});

it('a mean over seeds has an interval from two seeds on', () => {
  expect(studentInterval([0.4])).toEqual({ mean: 0.4, interval: null });
  const { interval } = studentInterval([0.4, 0.6]);
  expect(interval?.[1]).toBeCloseTo(0.5 + (12.706204736432095 * Math.sqrt(0.02)) / Math.SQRT2, 9);
});
