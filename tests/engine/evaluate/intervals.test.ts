import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import {
  binOf,
  clusteredRateInterval,
  clustersOf,
  expectedCalibrationError,
  histogram,
  mean,
  meanInterval,
  pairedDifference,
  reliability,
  wilson,
} from '../../../engine/evaluate/index.ts';

describe('bootstrap', () => {
  const draw = stream(3, 'test values');
  const values = Float64Array.from({ length: 200 }, () => draw.normal());

  test('gives the same interval for the same seed and another one for another seed', () => {
    expect(meanInterval(values, { seed: 1 })).toEqual(meanInterval(values, { seed: 1 }));
    expect(meanInterval(values, { seed: 1 })).not.toEqual(meanInterval(values, { seed: 2 }));
  });

  test('is about as wide as the normal approximation', () => {
    const [low, high] = meanInterval(values);
    const expected = (2 * 1.96) / Math.sqrt(200);
    expect(high - low).toBeGreaterThan(0.8 * expected);
    expect(high - low).toBeLessThan(1.2 * expected);
    expect(low).toBeLessThan(mean(values));
    expect(high).toBeGreaterThan(mean(values));
  });

  test('covers the true mean in about 95 of 100 trials', () => {
    const random = stream(11, 'coverage');
    const covered = Array.from({ length: 300 }, (_, i) => {
      const [low, high] = meanInterval(
        Float64Array.from({ length: 60 }, () => random.normal()),
        { seed: i, replicates: 400 },
      );
      return low <= 0 && 0 <= high;
    }).filter(Boolean).length;
    expect(covered / 300).toBeGreaterThan(0.9);
    expect(covered / 300).toBeLessThan(0.985);
  });

  test('duplicating a prompt’s rows does not narrow the interval when resampling prompts', () => {
    const prompts = Array.from(values, (_, i) => `prompt ${i}`);
    const once = clusteredRateInterval(
      clustersOf(
        prompts,
        Float64Array.from(values, (v) => Number(v > 0)),
      ),
    );
    const eightfold = Array.from({ length: 8 }, () => [...values].map((v) => Number(v > 0))).flat();
    expect(
      clusteredRateInterval(clustersOf(Array.from({ length: 8 }, () => prompts).flat(), eightfold)),
    ).toEqual(once);
    const [low, high] = meanInterval(eightfold);
    expect(high - low).toBeLessThan((once[1] - once[0]) / 2);
  });

  test('falls back to Wilson’s interval when all rows agree', () => {
    expect(
      clusteredRateInterval([
        { sum: 2, n: 2 },
        { sum: 3, n: 3 },
      ]),
    ).toEqual(wilson(2, 2));
    expect(clusteredRateInterval([{ sum: 0, n: 2 }])).toEqual(wilson(0, 1));
    expect(clusteredRateInterval([])).toEqual([0, 1]);
  });

  test('a paired difference has a narrower interval than two separate means', () => {
    const later = values.map((v, i) => v + 0.3 + 0.1 * Math.sin(i));
    const { difference, interval } = pairedDifference(values, later);
    expect(difference).toBeCloseTo(mean(later) - mean(values), 12);
    expect(interval[0]).toBeGreaterThan(0.25);
    expect(interval[1]).toBeLessThan(0.35);
  });
});

describe('calibration', () => {
  test('three answers computed by hand', () => {
    const bins = reliability([0.95, 0.91, 0.15], [1, 0, 0]);
    expect(bins.map(({ n, accuracy }) => [n, accuracy])).toEqual([
      [1, 0],
      [2, 0.5],
    ]);
    expect(expectedCalibrationError(bins)).toBeCloseTo((0.15 + 2 * 0.43) / 3, 12);
  });

  test('an honest forecaster has a small error, an always certain one a large error', () => {
    const random = stream(5, 'forecasts');
    const confidence = Float64Array.from({ length: 20_000 }, () => random.next());
    const hits = confidence.map((p) => Number(random.next() < p));
    expect(expectedCalibrationError(reliability(confidence, hits))).toBeLessThan(0.02);
    expect(
      expectedCalibrationError(
        reliability(
          confidence.map(() => 1),
          hits,
        ),
      ),
    ).toBeGreaterThan(0.4);
  });
});

test('a histogram counts every value once, at any scale', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 40 }),
      (values, bins) => {
        const found = histogram(values, bins);
        expect(found).toHaveLength(bins);
        expect(found.reduce((total, { n }) => total + n, 0)).toBe(values.length);
        found.slice(1).forEach((bin, i) => expect(bin.from).toBe(found[i].to));
      },
    ),
  );
  expect(binOf([0, 1, 2], 2)).toBe(1);
  expect(binOf([0, 1, 2], 2.01)).toBe(-1);
  expect(() => binOf([0, 1, 2], Number.NaN)).toThrow('no place in an order');
});
