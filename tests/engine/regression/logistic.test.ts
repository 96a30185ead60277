import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import {
  crossValidated,
  fitLogistic,
  solveSymmetric,
  standardized,
} from '../../../engine/regression/index.ts';

/** Comparisons of items with hidden weights, labeled by a coin with the right odds. */
const comparisons = (pairs: number, hidden: readonly number[], seed: number) => {
  const random = stream(seed, 'pairs');
  const width = hidden.length;
  const differences = Float64Array.from({ length: pairs * width }, () => random.normal());
  const targets = Float64Array.from({ length: pairs }, (_, p) => {
    const margin = hidden.reduce((sum, w, f) => sum + w * differences[p * width + f], 0);
    return Number(random.next() < 1 / (1 + Math.exp(-margin)));
  });
  return { differences, width, targets, weights: new Float64Array(pairs).fill(1) };
};

test('the gradient is zero at the solution', async () => {
  const data = comparisons(60, [1, -2, 0.5], 1);
  const w = await fitLogistic(data, 0.1);
  for (let f = 0; f < 3; f++) {
    let slope = 0.1 * w[f];
    for (let p = 0; p < 60; p++) {
      const margin = [0, 1, 2].reduce((sum, at) => sum + w[at] * data.differences[p * 3 + at], 0);
      slope += ((1 / (1 + Math.exp(-margin)) - data.targets[p]) * data.differences[p * 3 + f]) / 60;
    }
    expect(Math.abs(slope)).toBeLessThan(1e-6);
  }
});

test('recovers the hidden weights from many pairs', async () => {
  const w = await fitLogistic(comparisons(20_000, [1, -0.5], 2), 1e-6);
  expect(w[0]).toBeCloseTo(1, 1);
  expect(w[1]).toBeCloseTo(-0.5, 1);
});

test('perfectly separable labels still have a finite solution', async () => {
  const w = await fitLogistic(
    {
      differences: Float64Array.of(1, 2, 3),
      width: 1,
      targets: Float64Array.of(1, 1, 1),
      weights: Float64Array.of(1, 1, 1),
    },
    0.01,
  );
  expect(w[0]).toBeGreaterThan(1);
  expect(w[0]).toBeLessThan(100);
});

describe('cross-validation', () => {
  test('chooses the strongest penalty for noise and a weaker one for a signal', async () => {
    const groups = Float64Array.from({ length: 80 }, (_, p) => p >> 1);
    const noise = await crossValidated({
      ...comparisons(80, new Array<number>(30).fill(0), 3),
      groups,
      folds: 5,
    });
    const signal = await crossValidated({ ...comparisons(80, [4, -4], 4), groups, folds: 5 });
    expect(noise.penalty).toBeGreaterThan(signal.penalty);
    expect(signal.heldoutAccuracy).toBeGreaterThan(0.8);
    expect(noise.accuracy).toBeGreaterThan(noise.heldoutAccuracy ?? 1);
  });
  test('does not cross-validate a single prompt: uses a strong penalty and reports no held-out accuracy', async () => {
    const fitted = await crossValidated({ ...comparisons(6, [3], 5), groups: new Float64Array(6), folds: 5 });
    expect(fitted.penalty).toBe(1);
    expect(fitted.heldoutAccuracy).toBeUndefined();
  });
});

test('divides features by their spread and leaves a constant one unchanged', async () => {
  const { differences, scale } = standardized(Float64Array.of(3, 5, 1, 5, 1, 5, 3, 5), 2, 2);
  expect([...scale]).toEqual([2, 1]);
  expect([...differences]).toEqual([1, 0, -1, 0]);
});

test('solves a positive definite system', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 12, maxLength: 12 }),
      (x) => {
        const a = new Float64Array(9);
        for (let i = 0; i < 3; i++)
          for (let j = 0; j < 3; j++)
            a[i * 3 + j] =
              Number(i === j) + [0, 1, 2].reduce((sum, k) => sum + x[i * 3 + k] * x[j * 3 + k], 0);
        const b = Float64Array.from(x.slice(9));
        const solved = solveSymmetric(a.slice(), b);
        b.forEach((value, i) =>
          expect([0, 1, 2].reduce((sum, j) => sum + a[i * 3 + j] * solved[j], 0)).toBeCloseTo(value, 6),
        );
      },
    ),
  );
});
