import { describe, expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { caught } from '../../support/errors.ts';
import { bestConstant, CEILING, solved, stepsOf } from '../../support/worlds.ts';

const world = openWorldById('base-conversion');
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const flags = (prompt: string, ...lines: string[]) =>
  judge(prompt, ...lines).steps?.map(({ holds, follows }) => [holds, follows]);

const DIGITS = '0123456789abcdef';
const baseOf: Record<string, number> = { bin: 2, oct: 8, dec: 10, hex: 16 };
const solve = (prompt: string): string => {
  const [from, digits, , to] = prompt.slice(0, -1).split(' ');
  let value = [...digits].reduceRight(
    (sum, digit, i) => sum + DIGITS.indexOf(digit) * baseOf[from] ** (digits.length - 1 - i),
    0,
  );
  let text = '';
  for (; value > 0; value = (value - (value % baseOf[to])) / baseOf[to])
    text = DIGITS[value % baseOf[to]] + text;
  return `#${text}`;
};

describe('base conversion', () => {
  test('a solver that converts solves every problem, in each direction', () => {
    expect(solved(world, solve, 2000)).toEqual(CEILING);
    const ways = new Set(
      Array.from({ length: 1000 }, (_, i) => world.problem('train', i, 1).prompt.replace(/ [0-9a-f]+ /, ' ')),
    );
    expect(ways.size).toBe(12);
  });

  test('asks for one direction only on request', () => {
    const one = openWorldById('base-conversion', { from: 'hex', to: 'bin' });
    for (let i = 0; i < 50; i++)
      expect(one.problem('train', i, 0).prompt).toMatch(/^hex [0-9a-f]+ to bin\?$/);
    expect(solved(one, solve)).toEqual(CEILING);
    expect(bestConstant(one, 1000).share).toBeLessThan(0.05);
    expect(caught(() => openWorldById('base-conversion', { from: 'hex', to: 'hex' })).message).toContain(
      'same base',
    );
  });

  test('the worked example: digits in, digits out', () => {
    const lines = ['0*16+2=2', '2*16+15=47', '47/8=5r7', '5/8=0r5'];
    expect(judge('hex 2f to oct?', ...lines, '#57')).toEqual({
      correct: true,
      reward: 1,
      reason: 'right',
      steps: lines.map((line) => ({ line, holds: true, follows: true })),
    });
  });

  test.each(['#057', '#0o57', '#57.0', '#', '# 57'])('%j is not the answer', (answer) =>
    expect(judge('hex 2f to oct?', answer).reason).toMatch(/^(malformed|wrong) answer$/),
  );
  test.each([
    'hex 2g to dec?',
    'oct 8 to dec?',
    'bin 12 to dec?',
    'hex 02 to dec?',
    'hex 2F to dec?',
    'hex 2f to hex?',
    'hex fffff to dec?',
  ])('%j is not a problem', (prompt) =>
    expect(judge(prompt, '#1').reason).toBe('not a problem of this world'),
  );

  test('a wrong value makes one line false; a line that skips a digit does not follow', () => {
    expect(flags('hex 2f to oct?', '0*16+2=2', '2*16+15=46', '46/8=5r6', '5/8=0r5', '#56')).toEqual([
      [true, true],
      [false, true],
      [true, true],
      [true, true],
    ]);
    expect(flags('hex 2f to oct?', '0*16+15=15', '15/8=1r7', '#17')).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(flags('dec 47 to hex?', '47/16=2r15', '2/16=0r2', '#2f')).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(flags('dec 47 to hex?', '47/16=3r15', '47=2*16+15', '#3f')).toEqual([
      [false, true],
      [false, false],
    ]);
  });

  test('right demonstrations are sound, the others are not', () => {
    const { right, wrong, rambling } = stepsOf(world, 400);
    expect([right.sound, wrong.sound, rambling.sound]).toEqual([1, 0, 0]);
  });
});
