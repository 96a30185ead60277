import { describe, expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { caught } from '../../support/errors.ts';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

describe('toy/copy', () => {
  const copy = openWorldById('toy/copy');

  test.each([
    ['ab', 1],
    ['ad', 0.5],
    ['db', 0.5],
    ['ba', 0],
    ['a', 0.5],
    ['', 0],
    ['abb', 2 / 3],
    ['abababab', 0.25],
    ['a'.repeat(1000), 0],
  ])('ab> answered with %j earns %d', (completion, reward) =>
    expect(copy.verify('ab>', completion).reward).toBeCloseTo(reward, 12),
  );

  test('demonstrations are wrong in the given share', () => {
    for (const wrong of [0, 0.5, 1]) {
      const world = openWorldById('toy/copy', { wrong });
      const share = range(2000).filter((i) => world.demonstration(i, 1).kind === 'wrong').length / 2000;
      expect(Math.abs(share - wrong)).toBeLessThan(0.05);
    }
  });

  test('both splits have prompts with the smallest permitted alphabet, and smaller ones are rejected', () => {
    const small = openWorldById('toy/copy', { letters: 2, length: 4 });
    expect(small.problem('heldout', 0, 0).prompt).toHaveLength(5);
    expect(caught(() => openWorldById('toy/copy', { letters: 2, length: 3 })).message).toContain(
      'at least 16',
    );
  });
});

describe('toy/sums', () => {
  const sums = openWorldById('toy/sums');

  test.each([
    ['14-3=', '590', true, 'right'],
    ['14-3=', '077', true, 'right'],
    ['14-3=', '383', false, 'with the digit 3'],
    ['14-3=', '591', false, 'the sum is 15'],
    ['14-3=', '95', false, 'not 3 digits'],
    ['14-3=', '5900', false, 'not 3 digits'],
    ['25-3=', '997', false, 'not a problem of this world'],
    ['014-3=', '590', false, 'not a problem of this world'],
  ])('%s answered with %j', (prompt, answer, correct, reason) =>
    expect(sums.verify(prompt, answer)).toEqual({ correct, reward: Number(correct), reason }),
  );

  test('prompts have dozens of right answers as a rule, and the reference is one of them', () => {
    const counts = range(100).map((i) => {
      const { prompt, reference } = sums.problem('train', i, 1);
      const right = range(1000).filter((n) => sums.verify(prompt, String(n).padStart(3, '0')).correct);
      expect(right, prompt).toContain(Number(reference));
      return right.length;
    });
    expect(counts.reduce((a, b) => a + b) / 100).toBeGreaterThan(24);
  });

  test('demonstrations are wrong in the given share, and show many of the right answers', () => {
    for (const wrong of [0, 0.5]) {
      const world = openWorldById('toy/sums', { wrong });
      const shown = range(1000).map((i) => world.demonstration(i, 1));
      const share = shown.filter(({ kind }) => kind === 'wrong').length / 1000;
      expect(Math.abs(share - wrong)).toBeLessThan(0.05);
      const right = shown.filter(({ prompt, correct }) => prompt === '12-5=' && correct);
      expect(new Set(right.map(({ answer }) => answer)).size).toBeGreaterThan(right.length / 2);
    }
  });
});

describe('toy/pairs', () => {
  const pairs = openWorldById('toy/pairs');

  test('a hidden rule decides between answers: more letters "a" win', () => {
    expect(pairs.verify('bca?', 'aab').reward).toBeCloseTo(2 / 3, 12);
    expect(pairs.verify('bca?', 'aaa')).toMatchObject({ correct: true, reward: 1 });
    expect(pairs.verify('bca?', 'aaaa').reward).toBe(0);
    expect(pairs.verify('bca?', 'aax').reward).toBe(0);
  });

  test('neither position is better', () => {
    const share = range(2000).filter((i) => pairs.preference?.('train', i, 1).better === 'a').length / 2000;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.05);
  });
});

test('toy/pairs: pairs with equal counts of the letter are ties, in the given share', () => {
  const tied = openWorldById('toy/pairs', { ties: 0.3 });
  const found = range(2000).map((i) => tied.preference?.('train', i, 1));
  expect(Math.abs(found.filter((pair) => pair?.better === 'tie').length / 2000 - 0.3)).toBeLessThan(0.04);
  for (const pair of found) {
    const [a, b] = [pair?.a ?? '', pair?.b ?? ''].map((text) => text.split('a').length);
    expect(pair?.better).toBe(a === b ? 'tie' : a > b ? 'a' : 'b');
    expect(pair?.a).not.toBe(pair?.b);
  }
});

describe('toy/bandit', () => {
  const bandit = openWorldById('toy/bandit');

  test('three arms earn 1, 0 and −1; anything else earns −1', () => {
    expect(bandit.outcomes?.map(({ reward }) => reward)).toEqual([1, 0, -1]);
    expect(['a', 'b', 'c', '', 'aa', 'x'].map((arm) => bandit.verify('?', arm).reward)).toEqual([
      1, 0, -1, -1, -1, -1,
    ]);
  });

  test('pairs of arms are equally frequent, with the better one marked', () => {
    const found = range(3000).map((i) => bandit.preference?.('train', i, 1));
    const counts = Object.groupBy(found, (pair) => [pair?.a, pair?.b].toSorted().join(''));
    for (const pair of ['ab', 'ac', 'bc'])
      expect(Math.abs((counts[pair]?.length ?? 0) - 1000)).toBeLessThan(120);
    expect(
      found.every(
        (pair) => pair && pair.better !== 'tie' && pair[pair.better] < pair[pair.better === 'a' ? 'b' : 'a'],
      ),
    ).toBe(true);
  });
});
