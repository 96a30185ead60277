import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { caught } from '../../support/errors.ts';
import { CEILING, solved, stepsOf } from '../../support/worlds.ts';

const world = openWorldById('sorting');
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const flags = (prompt: string, ...lines: string[]) =>
  judge(prompt, ...lines).steps?.map(({ holds, follows }) => [holds, follows]);

describe('sorting', () => {
  test.each(['digits', 'numbers', 'letters'])('a solver that sorts %s solves every problem', (items) => {
    const byValue = (a: string, b: string) =>
      items === 'letters' ? a.localeCompare(b, 'en') : Number(a) - Number(b);
    expect(
      solved(
        openWorldById('sorting', { items }),
        (prompt) => `#${prompt.slice(5, -1).split(' ').sort(byValue).join(' ')}`,
      ),
    ).toEqual(CEILING);
  });

  test('levels add an item', () => {
    for (let i = 0; i < 300; i++) {
      const { prompt, level } = world.problem('heldout', i, 0);
      expect(prompt.split(' ')).toHaveLength(1 + level + 2);
    }
  });

  test('verifies the worked examples, merging and inserting', () => {
    expect(judge('sort 7 3 9 2?', '7+3=3 7', '9+2=2 9', '3 7+2 9=2 3 7 9', '#2 3 7 9')).toEqual({
      correct: true,
      reward: 1,
      reason: 'right',
      steps: ['7+3=3 7', '9+2=2 9', '3 7+2 9=2 3 7 9'].map((line) => ({ line, holds: true, follows: true })),
    });
    expect(flags('sort 7 3 9 2?', '7+3=3 7', '3 7+9=3 7 9', '3 7 9+2=2 3 7 9', '#2 3 7 9')).toEqual([
      [true, true],
      [true, true],
      [true, true],
    ]);
    expect(judge('sort 10 9 100?', '#9 10 100').reason).toBe('not a problem of this world');
    expect(judge('sort 10 9 99?', '#9 10 99').correct).toBe(true);
  });

  test('reports the error', () => {
    const reason = (answer: string) => judge('sort 7 3 9 2?', answer).reason;
    expect(reason('#2 3 9 7')).toBe('not in order');
    expect(reason('#2 3 7')).toBe('not the same items');
    expect(reason('#2 3 7 8')).toBe('not the same items');
    expect(reason('#2,3,7,9')).toBe('malformed answer');
    expect(reason('#2 3 7 9 ')).toBe('malformed answer');
    expect(reason('2 3 7 9')).toBe('no answer line');
    expect(reason('#2 3 7 9\n')).toBe('text after the answer');
  });

  test('a wrong merge makes one line false; correct merges of its result hold and follow', () => {
    expect(flags('sort 7 3 9 2?', '7+3=7 3', '9+2=2 9', '7 3+2 9=2 7 3 9', '#2 7 3 9')).toEqual([
      [false, true],
      [true, true],
      [true, true],
    ]);
    // they are not adjacent
    expect(flags('sort 7 3 9 2?', '7+9=7 9', '#2 3 7 9')).toEqual([[true, false]]);
    expect(flags('sort 7 3 9 2?', 'so: 7', '7+3', '#2 3 7 9')).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test.each(['merge', 'insertion'])(
    'right demonstrations by %s are sound, wrong and rambling ones are not',
    (method) => {
      const { right, wrong, rambling } = stepsOf(openWorldById('sorting', { method }), 400);
      expect(right.sound).toBe(1);
      expect(wrong.sound).toBe(0);
      expect(rambling.sound).toBe(0);
      expect(Math.min(right.count, wrong.count, rambling.count)).toBeGreaterThan(20);
    },
  );

  test('any order of the right items except the sorted one is wrong', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(9), { minLength: 3, maxLength: 8 }),
        fc.infiniteStream(fc.nat(100)),
        (items, keys) => {
          const shuffled = items
            .map((item) => [keys.next().value as number, item])
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item);
          const sorted = [...items].sort((a, b) => a - b);
          expect(judge(`sort ${items.join(' ')}?`, `#${shuffled.join(' ')}`).correct).toBe(
            shuffled.join() === sorted.join(),
          );
        },
      ),
    );
  });

  test('may reward the share of right places, of the longer of both lists', () => {
    const shared = openWorldById('sorting', { credit: 'share' });
    const rewards = ['#3 7 9', '#3 9 7', '#3 7', '#3 7 9 9', '#9 3 7', '#3,7'].map((answer) =>
      shared.verify('sort 7 3 9?', answer),
    );
    expect(rewards.map(({ correct, reward }) => [correct, reward])).toEqual([
      [true, 1],
      [false, 1 / 3],
      [false, 2 / 3],
      [false, 3 / 4],
      [false, 0],
      [false, 0],
    ]);
    expect(judge('sort 7 3 9?', '#3 9 7').reward).toBe(0);
  });

  test('rejects levels that do not exist', () => {
    expect(caught(() => openWorldById('sorting', { levels: 8, heldoutLevels: 1 })).message).toContain(
      'heldoutLevels',
    );
    expect(caught(() => openWorldById('sorting', { levels: 9 })).message).toContain('levels');
    expect(caught(() => openWorldById('sorting', { wrong: 0.8, rambling: 0.5 })).message).toContain(
      'rambling',
    );
  });
});
