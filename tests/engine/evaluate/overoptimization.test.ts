import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestOfN,
  bestOfNKl,
  expectedMaximum,
  goodhart,
  mean,
  pressureFit,
  pressureGain,
  pressurePeak,
  type PressureForm,
} from '../../../engine/evaluate/index.ts';
import { normals } from '../../../engine/random/random.ts';

const noise = (n: number, seed: number): Float32Array => {
  const out = new Float32Array(n);
  normals(out, seed, 'test');
  return out;
};

describe.each<PressureForm>(['best-of-n', 'rl'])('the curve of %s', (form) => {
  const planted = { alpha: 1.1, beta: 0.3 };
  const distances = [0, 0.5, 1, 1.5, 2, 3, 4];

  it('recovers planted coefficients exactly where there is no noise', () => {
    const gains = distances.map((d) => pressureGain(form, planted, d));
    const fit = pressureFit(form, distances, [gains, gains]);
    expect(fit?.alpha).toBeCloseTo(planted.alpha, 10);
    expect(fit?.beta).toBeCloseTo(planted.beta, 10);
    expect(fit?.peak?.distance).toBeCloseTo(pressurePeak(form, planted), 8);
  });

  it('covers planted coefficients and the peak with noise over problems', () => {
    const problems = 300;
    const all = noise(problems * distances.length, 4);
    const gains = Array.from({ length: problems }, (_none, p) =>
      distances.map(
        (d, i) => pressureGain(form, planted, d) + (d > 0 ? 0.8 * all[p * distances.length + i] : 0),
      ),
    );
    const fit = pressureFit(form, distances, gains);
    const within = (value: number, [low, high]: readonly [number, number | null] = [1, 0]) =>
      value >= low && (high === null || value <= high);
    expect(within(planted.alpha, fit?.alphaInterval)).toBe(true);
    expect(within(planted.beta, fit?.betaInterval)).toBe(true);
    expect(within(pressurePeak(form, planted), fit?.peak?.interval)).toBe(true);
    expect(fit?.alpha).toBeCloseTo(planted.alpha, 0);
  });

  it('is highest at its peak', () => {
    const coefficient = fc.double({ min: 0.1, max: 3, noNaN: true });
    fc.assert(
      fc.property(coefficient, coefficient, (alpha, beta) => {
        const peak = pressurePeak(form, { alpha, beta });
        const top = pressureGain(form, { alpha, beta }, peak);
        for (const factor of [0.9, 1.1])
          expect(pressureGain(form, { alpha, beta }, peak * factor)).toBeLessThan(top);
      }),
    );
  });

  it('has no peak if it rises for ever, and no fit of two distances', () => {
    const rising = { alpha: 1, beta: -0.2 };
    const gains = distances.map((d) => pressureGain(form, rising, d));
    expect(pressureFit(form, distances, [gains])).toMatchObject({ peak: null });
    expect(pressurePeak(form, rising)).toBe(Infinity);
    expect(pressureFit(form, [0, 1, 1, 2], [[0, 1, 1, 2]])).toBeNull();
  });
});

describe('the best of n by a proxy', () => {
  it('is the mean over all subsets of n answers', () => {
    const proxy = [3, 1, 2, 2, 5];
    const gold = [1, 0, 4, 2, 3];
    const subsets = (n: number, from = 0): number[][] =>
      n === 0
        ? [[]]
        : Array.from({ length: proxy.length - from }, (_none, i) => from + i).flatMap((first) =>
            subsets(n - 1, first + 1).map((rest) => [first, ...rest]),
          );
    for (const n of [1, 2, 3, 5]) {
      // the two answers of proxy 2 are each picked in half of the draws
      const picks = subsets(n).map((subset) => {
        const top = Math.max(...subset.map((at) => proxy[at]));
        const best = subset.filter((at) => proxy[at] === top);
        return mean(best.map((at) => gold[at]));
      });
      expect(bestOfN([{ proxy, gold }], [n])[0].gold[0]).toBeCloseTo(mean(picks), 12);
    }
  });

  it('agrees with the closed form for normal scores', () => {
    const [problems, answers] = [400, 16];
    const golds = noise(problems * answers, 1);
    const errors = noise(problems * answers, 2);
    const all = Array.from({ length: problems }, (_none, p) => {
      const own = Array.from({ length: answers }, (_other, i) => p * answers + i);
      return { gold: own.map((at) => golds[at]), proxy: own.map((at) => golds[at] + errors[at]) };
    });
    for (const { n, gold, proxy, kl } of bestOfN(all, [1, 4, 16])) {
      const expected = goodhart(n);
      // five standard errors of a mean over problems
      expect(Math.abs(mean(gold) - expected.gold)).toBeLessThan(5 / Math.sqrt(problems));
      expect(Math.abs(mean(proxy) - expected.proxy)).toBeLessThan((5 * Math.SQRT2) / Math.sqrt(problems));
      expect(kl).toBe(bestOfNKl(n));
    }
    expect(expectedMaximum(4)).toBeGreaterThan(1);
  });

  it('refuses problems with fewer answers than n', () => {
    expect(() => bestOfN([{ proxy: [1], gold: [1] }], [2])).toThrow('The best of 2 needs 2 answers, not 1.');
  });
});
