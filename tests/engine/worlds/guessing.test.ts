import { afterAll, describe, expect, test } from 'vitest';
import { recommended } from '../../../engine/recommended.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { openWorldById, worlds } from '../../../engine/worlds/index.ts';
import { guessed, walked } from '../../support/guesses.ts';

afterAll(() => theSandbox().close());

const ENOUGH = 0.05;
/**
 * Where guessing gets more than one problem in twenty, and no choice of the world's numbers would prevent it.
 * Each stands in `engine/worlds/README.md` too.
 */
const declared: { readonly [place: string]: { readonly most: number; readonly because: string } } = {
  'sorting 1': {
    most: 0.24,
    because: 'three items stand in order already in one case of six, and with equal ones in more',
  },
  'sorting 2': { most: 0.08, because: 'so do four, in one case of 24' },
};
const inWords = worlds.filter(({ id }) => !id.startsWith('toy/') && id !== 'grid').map(({ id }) => id);

/** A query costs a run in the sandbox, so that fewer are asked there. */
const problemsOf = (id: string): number => (id === 'sql' ? 200 : 1500);

describe('guessing is right for fewer than one held-out problem in twenty, of each level', () => {
  test.each(inWords)('%s', async (id) => {
    const found = await guessed(openWorldById(id), problemsOf(id));
    expect(found.length).toBeGreaterThanOrEqual(9);
    for (const { level, guess, share } of found) {
      const known = declared[`${id} ${level}`];
      expect(share, `${id}, level ${level}, ${guess}${known ? `: ${known.because}` : ''}`).toBeLessThan(
        known?.most ?? ENOUGH,
      );
    }
  });

  test.each(Object.entries(declared))('what is said of %s is needed', async (place, { most }) => {
    const [id, level] = place.split(' ');
    const shares = (await guessed(openWorldById(id), problemsOf(id)))
      .filter((one) => one.level === Number(level))
      .map(({ share }) => share);
    expect(Math.max(...shares)).toBeGreaterThan(Math.max(ENOUGH, 0.8 * most));
  });

  test('the recommended task is easier to guess than any world by itself, and its policies must be far above that', async () => {
    const { id, params } = recommended.base.task;
    const shares = (await guessed(openWorldById(id, params), problemsOf(id))).map(({ share }) => share);
    // what is said of it where it is declared, and in the worlds' README: one problem in eight
    expect(Math.max(...shares)).toBeGreaterThan(ENOUGH);
    expect(Math.max(...shares)).toBeLessThan(0.13);
  });

  test('a grid is left by a walk over all its fields that looks at nothing, the more often the smaller it is', () => {
    const shares = walked(openWorldById('grid'), 400);
    expect(shares.map(({ level }) => level)).toEqual([1, 2, 3]);
    for (const [at, said] of [0.65, 0.29, 0.08].entries())
      expect(Math.abs(shares[at].share - said), `level ${at + 1}`).toBeLessThan(0.05);
  });
});
