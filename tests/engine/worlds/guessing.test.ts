import { afterAll, describe, expect, test } from 'vitest';
import { recommended } from '../../../engine/recommended.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { openWorldById, worlds } from '../../../engine/worlds/index.ts';
import { guessed, walked } from '../../support/guesses.ts';

afterAll(() => theSandbox().close());

const ENOUGH = 0.05;
/**
 * Levels where guessing solves more than one problem in twenty, and no parameters of the world would prevent
 * it. `engine/worlds/README.md` lists each of them.
 */
const declared: { readonly [place: string]: { readonly most: number; readonly because: string } } = {
  'sorting 1': {
    most: 0.24,
    because: 'three items stand in order already in one case of six, and with equal ones in more',
  },
  'sorting 2': { most: 0.08, because: 'so do four, in one case of 24' },
};
const inWords = worlds.filter(({ id }) => !id.startsWith('toy/') && id !== 'grid').map(({ id }) => id);

/** Each query needs a run in the sandbox, so it gets fewer problems. */
const problemsOf = (id: string): number => (id === 'sql' ? 200 : 1500);

describe('guessing solves fewer than one in twenty held-out problems of each level', () => {
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

  test.each(Object.entries(declared))('the exception for %s is needed', async (place, { most }) => {
    const [id, level] = place.split(' ');
    const shares = (await guessed(openWorldById(id), problemsOf(id)))
      .filter((one) => one.level === Number(level))
      .map(({ share }) => share);
    expect(Math.max(...shares)).toBeGreaterThan(Math.max(ENOUGH, 0.8 * most));
  });

  test('the recommended task is easier to guess than any single world, so its policies must score far higher', async () => {
    const { id, params } = recommended.base.task;
    const shares = (await guessed(openWorldById(id, params), problemsOf(id))).map(({ share }) => share);
    // its declaration and the worlds' README state one problem in eight
    expect(Math.max(...shares)).toBeGreaterThan(ENOUGH);
    expect(Math.max(...shares)).toBeLessThan(0.13);
  });

  test('a blind walk over all fields solves a grid, more often the smaller it is', () => {
    const shares = walked(openWorldById('grid'), 400);
    expect(shares.map(({ level }) => level)).toEqual([1, 2, 3]);
    for (const [at, expected] of [0.65, 0.29, 0.08].entries())
      expect(Math.abs(shares[at].share - expected), `level ${at + 1}`).toBeLessThan(0.05);
  });
});
