import { describe, expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { bestConstant, CEILING, solved, stepsOf } from '../../support/worlds.ts';

const world = openWorldById('spelling');
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const flags = (prompt: string, ...lines: string[]) =>
  judge(prompt, ...lines).steps?.map(({ holds, follows }) => [holds, follows]);

const solve = (prompt: string): string => {
  const word = prompt.slice(prompt.lastIndexOf(' ') + 1, -1);
  if (prompt.startsWith('reverse')) return `#${Array.from(word).reverse().join('')}`;
  if (prompt.startsWith('letters'))
    return `#${(prompt.match(/\d+/g) ?? []).map((place) => word.charAt(Number(place) - 1)).join('')}`;
  const tally: Record<string, number> = {};
  for (const letter of word) tally[letter] = (tally[letter] ?? 0) + 1;
  return `#${Object.entries(tally)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('')}`;
};

describe('spelling', () => {
  test.each(['mixed', 'count', 'reverse', 'letters'])(
    'a solver that reads the letters solves every problem: %s',
    (task) => {
      const only = openWorldById('spelling', { task });
      expect(solved(only, solve)).toEqual(CEILING);
      expect(bestConstant(only, 500).share).toBeLessThan(0.05);
    },
  );

  test('draws its three tasks equally often, and longer words at higher levels', () => {
    const problems = Array.from({ length: 3000 }, (_, i) => world.problem('train', i, 2));
    for (const kind of ['count', 'reverse', 'letters'])
      expect(Math.abs(problems.filter(({ meta }) => meta.task === kind).length / 3000 - 1 / 3)).toBeLessThan(
        0.035,
      );
    for (const { meta, level } of problems) expect(meta.length).toBe(2 * level + 2);
  });

  test('verifies the worked examples', () => {
    expect(judge('count abba?', 'a1', 'b1', 'b2', 'a2', '#a2b2')).toMatchObject({ correct: true, reward: 1 });
    expect(judge('reverse abc?', 'a', 'ba', 'cba', '#cba').correct).toBe(true);
    expect(judge('letters 3 1 2 of abc?', '1a', '2b', '3c', '#cab').correct).toBe(true);
    expect(judge('count strawberry?', '#a1b1e1r3s1t1w1y1').correct).toBe(true);
  });

  test('reports the error', () => {
    expect(judge('count abba?', '#b2a2').reason).toBe('wrong answer'); // in alphabetical order
    expect(judge('count abba?', '#a2 b2').reason).toBe('malformed answer');
    expect(judge('count abba?', '#a1b2').reason).toBe('wrong answer');
    expect(judge('letters 3 1 2 of abc?', '#ca').reason).toBe('malformed answer');
    for (const prompt of [
      'letters 4 1 2 of abc?',
      'count ab?',
      'spell abc?',
      'reverse ABC?',
      'letters 1 2 of abc?',
    ])
      expect(judge(prompt, '#a').reason).toBe('not a problem of this world');
  });

  test('a misread letter makes one line false; lines that continue from it follow', () => {
    expect(flags('count abba?', 'a1', 'c1', 'b1', 'a2', '#a2b1c1')).toEqual([
      [true, true],
      [false, true],
      [false, true],
      [true, true],
    ]);
    expect(flags('reverse abc?', 'x', 'bx', 'cbx', '#cbx')).toEqual([
      [false, true],
      [false, true],
      [false, true],
    ]);
    expect(flags('letters 3 1 2 of abc?', '1a', '2x', '3c', '#cax')).toEqual([
      [true, true],
      [false, true],
      [true, true],
    ]);
    expect(flags('letters 3 1 2 of abc?', '1a', '1a', '3c', '#cab')).toEqual([
      [true, true],
      [true, false],
      [true, false],
    ]);
  });

  test('right demonstrations are sound; of the wrong ones, only those that stop before the last letter', () => {
    const { right, wrong, rambling } = stepsOf(world, 400);
    expect([right.sound, rambling.sound]).toEqual([1, 0]);
    expect(wrong.sound).toBeLessThan(0.2);
  });
});
