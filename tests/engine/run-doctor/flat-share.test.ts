import { expect, test } from 'vitest';
import { expectedFlatShare } from '../../../engine/index.ts';

/** All strings of G right or wrong answers, with their probabilities at a pass rate. */
const byEnumeration = (p: number, size: number): number =>
  Array.from({ length: 2 ** size }, (_none, bits) =>
    Array.from({ length: size }, (_each, at) => (bits >> at) & 1),
  )
    .filter((group) => new Set(group).size === 1)
    .reduce((sum, group) => sum + group.reduce((product, right) => product * (right ? p : 1 - p), 1), 0);

test.each([
  [0.5, 2, 0.5],
  [0.5, 8, 2 / 256],
  [0, 8, 1],
  [1, 4, 1],
  [0.9, 1, 1],
])('at pass rate %d and groups of %d it is %d', (p, size, share) => {
  expect(expectedFlatShare([p], size)).toBeCloseTo(share, 12);
});

test.each([
  [0.3, 4],
  [0.85, 6],
  [0.05, 8],
])('at pass rate %d and groups of %d it is the probability of equal groups, by enumeration', (p, size) => {
  expect(expectedFlatShare([p], size)).toBeCloseTo(byEnumeration(p, size), 12);
});

test('prompts of unequal difficulty have more equal groups than their mean pass rate says', () => {
  expect(expectedFlatShare([0.1, 0.9], 8)).toBeGreaterThan(expectedFlatShare([0.5], 8));
  expect(expectedFlatShare([], 8)).toBeNaN();
});
