import { describe, expect, test } from 'vitest';
import { continual, fitSaturating, saturatingAt } from '../../../engine/index.ts';
import { stream } from '../../../engine/random/random.ts';

describe('a stream of tasks', () => {
  test('is forgotten by its best accuracy before the end less that at the end, by hand', () => {
    const found = continual([
      [0.9, 0.1, 0.0],
      [0.95, 0.8, 0.1],
      [0.6, 0.5, 0.7],
    ]);
    // 0.95 − 0.6 and 0.8 − 0.5; backward transfer (0.6 − 0.9 + 0.5 − 0.8) ⁄ 2
    expect(found.forgotten.map((x) => Number(x.toFixed(9)))).toEqual([0.35, 0.3]);
    expect(found.forgetting).toBeCloseTo(0.325, 12);
    expect(found.backwardTransfer).toBeCloseTo(-0.3, 12);
    expect(found.final).toBeCloseTo(0.6, 12);
  });
  test('that helps earlier tasks has a positive backward transfer', () => {
    const found = continual([
      [0.5, 0],
      [0.7, 0.9],
    ]);
    expect(found.backwardTransfer).toBeCloseTo(0.2, 12);
    expect(found.forgetting).toBeCloseTo(-0.2, 12);
  });
  test('of one task, or with a missing accuracy, is refused', () => {
    expect(() => continual([[1]])).toThrow('at least two tasks');
    expect(() => continual([[1, 0], [1]])).toThrow('2 × 2');
    expect(() =>
      continual([
        [1, NaN],
        [1, 1],
      ]),
    ).toThrow('finite');
  });
});

describe('a curve that levels off', () => {
  const planted = { start: 0.2, ceiling: 0.85, middle: 60, slope: 1.7 };
  const steps = Array.from({ length: 60 }, (_, i) => 5 * (i + 1));
  const draw = stream(3, 'noise', 0);
  const noisy = steps.map((step) => saturatingAt(planted, step) + 0.02 * (draw.next() - 0.5));

  test('is recovered from exact points', () => {
    const { error, ...found } = fitSaturating(
      steps,
      steps.map((step) => saturatingAt(planted, step)),
    );
    expect(error).toBeLessThan(1e-4);
    for (const key of ['start', 'ceiling', 'middle', 'slope'] as const)
      expect(found[key] / planted[key]).toBeCloseTo(1, 2);
  });
  test('is predicted from the first 40 % of noisy points', () => {
    const fit = fitSaturating(steps.slice(0, 24), noisy.slice(0, 24));
    expect(Math.abs(saturatingAt(fit, 300) - saturatingAt(planted, 300))).toBeLessThan(0.04);
  });
  test('of two recipes is told apart by the ceiling, whichever rises faster', () => {
    const fast = { ...planted, ceiling: 0.7, middle: 20 };
    const ceilings = [planted, fast].map(
      (curve) =>
        fitSaturating(
          steps,
          steps.map((step) => saturatingAt(curve, step)),
        ).ceiling,
    );
    expect(ceilings[0]).toBeGreaterThan(ceilings[1]);
  });
  test('without change is level, and too few points are refused', () => {
    expect(fitSaturating([1, 2, 3, 4, 5], [0.5, 0.5, 0.5, 0.5, 0.5])).toMatchObject({ error: 0 });
    expect(() => fitSaturating([1, 2], [0, 1])).toThrow('five points');
    expect(() => fitSaturating([0, 1, 2, 3, 4], [0, 1, 1, 1, 1])).toThrow('above 0');
  });
});
