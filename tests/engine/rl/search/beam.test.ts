import { describe, expect, test } from 'vitest';
import { mean } from '../../../../engine/evaluate/index.ts';
import { stream } from '../../../../engine/random/random.ts';
import type { Candidate } from '../../../../engine/rl/parts/samplers/candidates.ts';
import { treeSearch } from '../../../../engine/rl/parts/samplers/tree-search.ts';
import { beamSearch, beamSizes } from '../../../../engine/rl/parts/samplers/beam-search.ts';
import { guidedCurve } from '../../../../engine/rl/search/guided-curve.ts';

const DEPTH = 3;
const candidate = (tokens: readonly number[], parent: number, value: number): Candidate => ({
  tokens,
  logp: tokens.map(() => -1),
  fresh: 1,
  given: tokens.length - 1,
  text: tokens.join(''),
  isDone: tokens.length === DEPTH,
  ended: tokens.length === DEPTH,
  parent,
  value,
  sample: 0,
  scores: {},
});

describe('a beam search', () => {
  test('by a perfect verifier of its lines is right as often as the closed form says', async () => {
    // a line is right (1) with q; one is kept: a round fails if all its candidates are wrong
    const q = 0.4;
    const random = stream(2, 'lines');
    const searches = await beamSearch(6000, { size: 4, expand: 4, rounds: 9 }, async (from) =>
      from.map(({ candidate: kept, parent }) => {
        const tokens = [...(kept?.tokens ?? []), Number(random.next() < q)];
        return candidate(tokens, parent, mean(tokens));
      }),
    );
    const right = mean(
      searches.map(({ tried, pick }) => Number(tried[pick].tokens.every((token) => token === 1))),
    );
    const expected = (1 - (1 - q) ** 4) ** DEPTH;
    expect(Math.abs(right - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / 6000));
    // 4 candidates in each of 3 rounds
    expect(searches.every(({ tried }) => tried.length === 12)).toBe(true);
  });

  test('wide enough for a whole tree finds its best leaf, and a narrow one may miss it', async () => {
    // the best leaf, 1 0 0, lies behind the worse first line
    const value = (tokens: readonly number[]): number =>
      ({ '0': 0.6, '1': 0.5, '100': 1, '000': 0.7 })[tokens.join('')] ?? 0.4;
    const grow = (branch: (at: number) => number) => {
      let at = 0;
      return async (from: Parameters<Parameters<typeof beamSearch>[2]>[0]) =>
        from.map(({ candidate: kept, parent }) => {
          const tokens = [...(kept?.tokens ?? []), branch(at++)];
          return candidate(tokens, parent, value(tokens));
        });
    };
    const everything = grow((at) => at % 2);
    const [wide] = await beamSearch(1, { size: 16, expand: 2, rounds: 3 }, everything);
    expect(wide.tried[wide.pick].text).toBe('100');
    const [narrow] = await beamSearch(
      1,
      { size: 2, expand: 2, rounds: 3 },
      grow((at) => at % 2),
    );
    expect(narrow.tried[narrow.pick].text).toBe('000');
    // each candidate continues the one that it names
    for (const { tokens, parent } of wide.tried)
      expect(parent < 0 ? [] : wide.tried[parent].tokens).toEqual(tokens.slice(0, -1));
  });

  test('ends with an ended answer where one was kept, else with the best that it has', async () => {
    const cut = { ...candidate([1], -1, 0.9), isDone: true };
    const whole = { ...candidate([0], -1, 0.2), isDone: true, ended: true };
    const [both] = await beamSearch(1, { size: 2, expand: 1, rounds: 2 }, async () => [cut, whole]);
    expect(both.pick).toBe(1);
    const [none] = await beamSearch(1, { size: 2, expand: 1, rounds: 2 }, async () => [
      cut,
      { ...cut, value: 0.95 },
    ]);
    expect(none.pick).toBe(1);
  });

  test('has no more candidates in a round than its size, even if each kept one could be continued more often', async () => {
    const rounds: number[] = [];
    const [{ tried }] = await beamSearch(1, { size: 2, expand: 4, rounds: 3 }, async (from) => {
      rounds.push(from.length);
      return from.map(({ candidate: kept, parent }) => candidate([...(kept?.tokens ?? []), 1], parent, 1));
    });
    expect(rounds).toEqual([2, 2, 2]);
    expect(tried).toHaveLength(6);
  });

  test('grows in powers of two of its expansion', () => {
    expect(beamSizes(16, 4)).toEqual([4, 8, 16]);
    expect(beamSizes(3, 4)).toEqual([3]);
  });
});

describe('a tree search', () => {
  // the best leaf, 1 0 0, lies behind the worse first line
  const value = (tokens: readonly number[]): number =>
    ({ '0': 0.6, '1': 0.5, '100': 1, '000': 0.7 })[tokens.join('')] ?? 0.4;
  const everything = () => {
    let at = 0;
    return async (from: Parameters<Parameters<typeof treeSearch>[2]>[0]) =>
      from.map(({ candidate: kept, parent }) => {
        const tokens = [...(kept?.tokens ?? []), at++ % 2];
        return candidate(tokens, parent, value(tokens));
      });
  };
  const plan = { expand: 2, lines: 3, explore: 1 };

  test('goes back to a line that looked worse, and finds the best leaf that a beam of its breadth misses', async () => {
    const [found] = await treeSearch(1, { ...plan, expansions: 7 }, everything());
    expect(found.tried[found.pick].text).toBe('100');
    // seven expansions are the whole tree, each candidate once
    expect(new Set(found.tried.map(({ text }) => text)).size).toBe(14);
    for (const { tokens, parent } of found.tried)
      expect(parent < 0 ? [] : found.tried[parent].tokens).toEqual(tokens.slice(0, -1));
    // nothing is left to expand
    const [more] = await treeSearch(1, { ...plan, expansions: 50 }, everything());
    expect(more.tried).toHaveLength(14);
  });

  test('without exploration follows the best value, and ends with an ended answer', async () => {
    const [greedy] = await treeSearch(1, { ...plan, explore: 0, expansions: 3 }, everything());
    expect(greedy.tried.map(({ text }) => text).slice(0, 4)).toEqual(['0', '1', '00', '01']);
    const [short] = await treeSearch(1, { ...plan, lines: 1, expansions: 9 }, everything());
    expect(short.tried).toHaveLength(2);
    expect(short.tried[short.pick].text).toBe('0');
  });
});

test('the curve of guided searches has a point per size, with the tokens of dropped candidates', () => {
  const curve = guidedCurve(
    [
      { promptId: 'a', size: 8, tokens: 20, correct: 1 },
      { promptId: 'a', size: 4, tokens: 10, correct: 0 },
      { promptId: 'b', size: 4, tokens: 14, correct: 1 },
      { promptId: 'b', size: 8, tokens: 22, correct: 1 },
    ],
    { step: 3, seed: 0 },
  );
  expect(curve).toMatchObject({ step: 3, problems: 2, samples: 8 });
  expect(curve.strategies[0].points.map(({ n, tokens, accuracy }) => [n, tokens, accuracy])).toEqual([
    [4, 12, 0.5],
    [8, 21, 1],
  ]);
  expect(() => guidedCurve([], { step: 0, seed: 0 })).toThrow('no search');
});
