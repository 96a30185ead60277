import { describe, expect, test } from 'vitest';
import { stream } from '../../../../engine/random/random.ts';
import { treeOf, type Leaf, type TreeNode } from '../../../../engine/rl/parts/math/tree.ts';

/** A tiny world: three steps of two tokens each way, with these chances of a 1 behind each beginning. */
const chance = (tokens: readonly number[]): number =>
  ({ '': 0.3, '0': 0.8, '1': 0.4, '00': 0.1, '01': 0.6, '10': 0.5, '11': 0.9 })[tokens.join('')] ?? NaN;
const reward = (tokens: readonly number[]): number => Number(tokens.join('') === '011') + 0.5 * tokens[0];
const DEPTH = 3;
const everyAnswer = Array.from({ length: 2 ** DEPTH }, (_, n) =>
  Array.from({ length: DEPTH }, (_each, t) => (n >> (DEPTH - 1 - t)) & 1),
);
/** V(beginning) by enumeration. */
const exact = (tokens: readonly number[]): number =>
  tokens.length === DEPTH
    ? reward(tokens)
    : chance(tokens) * exact([...tokens, 1]) + (1 - chance(tokens)) * exact([...tokens, 0]);

const leaf = (tokens: readonly number[], given = 0, weight = 1): Leaf => ({
  tokens,
  given,
  weight,
  ends: [1, 2, 3],
  value: reward(tokens),
});
const probability = (tokens: readonly number[]): number =>
  tokens.reduce((p, token, t) => {
    const one = chance(tokens.slice(0, t));
    return p * (token ? one : 1 - one);
  }, 1);
const drawn = (beginning: readonly number[], random: { next(): number }): number[] => {
  const tokens = [...beginning];
  while (tokens.length < DEPTH) tokens.push(Number(random.next() < chance(tokens)));
  return tokens;
};
const valuesOf = (path: readonly TreeNode[]): number[] => path.map(({ value }) => value);

describe('values backed up a tree', () => {
  test('equal those of enumeration when every outcome is there with its probability', () => {
    const { paths } = treeOf(everyAnswer.map((tokens) => leaf(tokens, 0, probability(tokens))));
    everyAnswer.forEach((tokens, at) => {
      const states = [0, 1, 2, 3].map((length) => tokens.slice(0, length));
      expect(valuesOf(paths[at])).toEqual(states.map((state) => expect.closeTo(exact(state), 12)));
    });
  });

  test('are unbiased however often a branch was tried, where the mean of all answers is not', () => {
    const random = stream(3, 'trees');
    const roots: number[] = [];
    const means: number[] = [];
    for (let n = 0; n < 3000; n++) {
      const trunk = drawn([], random);
      // twenty more from a good beginning, as a search by value would
      const branches =
        trunk.slice(0, 2).join('') === '01' ? Array.from({ length: 20 }, () => drawn([0, 1], random)) : [];
      const second = drawn([], random);
      const leaves = [leaf(trunk), leaf(second), ...branches.map((tokens) => leaf(tokens, 2))];
      roots.push(treeOf(leaves).paths[0][0].value);
      means.push(leaves.reduce((sum, { value }) => sum + value, 0) / leaves.length);
    }
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
    expect(Math.abs(mean(roots) - exact([]))).toBeLessThan(0.02);
    expect(Math.abs(mean(means) - exact([]))).toBeGreaterThan(0.03);
  });

  test('by hand: two answers from the prompt, and three more from the first step of one', () => {
    const leaves = [
      leaf([0, 1, 1]), // 1
      leaf([1, 0, 0]), // ½
      leaf([0, 0, 0], 1), // 0
      leaf([0, 1, 0], 1), // 0
      leaf([0, 1, 1], 1), // 1
    ];
    const { paths } = treeOf(leaves);
    // behind 01: three samples 1 0 1; behind 0: 01 01 01 00 of ⅔ ⅔ ⅔ 0; root: ½ and ½
    expect(valuesOf(paths[0])).toEqual([0.5, 0.5, 2 / 3, 1].map((x) => expect.closeTo(x, 12)));
    expect(valuesOf(paths[2])).toEqual([0.5, 0, 0].map((x) => expect.closeTo(x, 12)));
    expect(paths[2].map(({ length }) => length)).toEqual([1, 2, 3]);
    expect(paths[0].map(({ visits }) => visits)).toEqual([2, 4, 3, 2]);
  });

  test('a branch inside a step splits it for the answer that it branched from', () => {
    const coarse = { tokens: [4, 5, 6, 7], given: 0, ends: [4], weight: 1, value: 1 };
    const { paths } = treeOf([coarse, { ...coarse, tokens: [4, 5, 9, 9], given: 2, value: 0 }]);
    expect(paths.map((path) => path.map(({ length, value }) => [length, value]))).toEqual([
      [
        [0, 0.5],
        [2, 0.5],
        [4, 1],
      ],
      [
        [2, 0.5],
        [4, 0],
      ],
    ]);
  });
});
