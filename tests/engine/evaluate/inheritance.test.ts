import { describe, expect, test } from 'vitest';
import { atLevel, inheritance, paretoFront, slicedWasserstein, wasserstein } from '../../../engine/index.ts';
import { stream } from '../../../engine/random/random.ts';

describe('robustness inheritance', () => {
  test('is the mean change on the tasks that were not learned, by hand', () => {
    const found = inheritance(
      [0.5, 0.6, 0.4],
      [
        [0.9, 0.5, 0.3],
        [0.4, 0.8, 0.4],
        [0.5, 0.3, 1],
      ],
    );
    // (−.1 − .1) ⁄ 2, (−.1 + 0) ⁄ 2, (0 − .3) ⁄ 2
    expect(found.retention.map((x) => Number(x.toFixed(9)))).toEqual([-0.1, -0.05, -0.15]);
    expect(found.gains.map((x) => Number(x.toFixed(9)))).toEqual([0.4, 0.2, 0.6]);
    expect(found.mean).toBeCloseTo(-0.1, 12);
  });
  test('of one task, or with a missing accuracy, is refused', () => {
    expect(() => inheritance([1], [[1]])).toThrow('at least two tasks');
    expect(() => inheritance([1, 1], [[1, 0], [1]])).toThrow('2 × 2');
  });
  test('has a front of recipes that none exceeds in gain and retention', () => {
    const recipes = [
      [0.4, -0.2],
      [0.3, -0.1],
      [0.3, -0.3],
      [0.1, -0.1],
    ] as const;
    expect(paretoFront(recipes)).toEqual([true, true, false, false]);
  });
  test('is read at the first point of a curve with a gain, between two evaluations', () => {
    const curve = [
      { value: 0, other: 0 },
      { value: 0.2, other: -0.1 },
      { value: 0.4, other: -0.3 },
    ];
    expect(atLevel(curve, 0.3)).toBeCloseTo(-0.2, 12);
    expect(atLevel(curve, -1)).toBe(0);
    expect(atLevel(curve, 0.5)).toBeNull();
  });
});

describe('the Wasserstein distance', () => {
  test('of a sample moved by a number is that number', () => {
    expect(wasserstein([3, 1, 2], [4.5, 2.5, 3.5])).toBeCloseTo(1.5, 12);
  });
  test('of samples of unequal sizes integrates their quantiles, by hand', () => {
    // quantiles 0 and 1 against 0, 0, 3 on thirds: ½·0 → [0, ⅓]: 0, [⅓, ½]: 0, [½, ⅔]: 1, [⅔, 1]: 4
    expect(wasserstein([0, 1], [0, 0, 3])).toBeCloseTo(Math.sqrt(1 / 6 + 4 / 3), 12);
  });
  const cloud = Array.from({ length: 50 }, (_none, at) => {
    const draw = stream(1, 'cloud', at);
    return [draw.normal(), draw.normal(), draw.normal(), draw.normal()];
  });
  test('sliced, of a cloud moved by v, is ‖v‖ ⁄ √D', () => {
    const moved = cloud.map(([a, b, c, d]) => [a + 3, b, c - 4, d]);
    expect(slicedWasserstein(cloud, moved, { directions: 20_000 })).toBeCloseTo(2.5, 1);
    expect(slicedWasserstein(cloud, cloud.toReversed())).toBe(0);
  });
  test('refuses points of unequal dimensions, and no points', () => {
    expect(() => slicedWasserstein([[1, 2]], [[1]])).toThrow('2 and 1 dimensions');
    expect(() => slicedWasserstein([], [[1]])).toThrow('no points');
  });
});
