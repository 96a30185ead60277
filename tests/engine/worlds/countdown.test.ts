import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countdownSolvable, reachable } from '../../../engine/worlds/countdown.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { operate, rational, rationalText, readRational } from '../../../engine/worlds/rational.ts';
import { CEILING, solved, stepsOf } from '../../support/worlds.ts';

const world = openWorldById('countdown');
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const flags = (prompt: string, ...lines: string[]) =>
  judge(prompt, ...lines).steps?.map(({ holds, follows }) => [holds, follows]);

/**
 * Searches pairs of numbers, as floats with their expressions; independent of the world's solver, which never
 * builds expressions.
 */
const search = (values: readonly (readonly [number, string])[], target: number): string | null => {
  const hit = values.find(([value]) => Math.abs(value - target) < 1e-9);
  if (hit) return hit[1];
  for (let i = 0; i < values.length; i++)
    for (let j = 0; j < values.length; j++) {
      if (i === j) continue;
      const rest = values.filter((_, k) => k !== i && k !== j);
      const [[a, left], [b, other]] = [values[i], values[j]];
      for (const [value, op] of [
        [a + b, '+'],
        [a - b, '-'],
        [a * b, '*'],
        [a / b, '/'],
      ] as const) {
        const found = Number.isFinite(value)
          ? search([...rest, [value, `(${left}${op}${other})`]], target)
          : null;
        if (found) return found;
      }
    }
  return null;
};
const solve = (prompt: string): string => {
  const [target, ...numbers] = (prompt.match(/\d+/g) ?? []).map(Number);
  return `#${search(
    numbers.map((n) => [n, String(n)]),
    target,
  )}`;
};

describe('counting solvable problems', () => {
  test('of three distinct numbers from 1 to 10 and a target from 1 to 50, 1567 of 6000 pairs are', () => {
    expect(countdownSolvable(10, 50)).toEqual({ solvable: 1567, of: 6000 });
  });

  test('reaches with exact fractions what integers cannot reach', () => {
    expect(reachable([3, 3, 8, 8]).has('24')).toBe(true); // 8/(3-8/3)
    expect(reachable([1, 1, 1]).has('24')).toBe(false);
    expect([...reachable([2, 3])].sort()).toEqual(['(2/3)', '(3/2)', '-1', '1', '5', '6']);
  });

  test('agrees with a search that builds expressions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        (numbers, target) => {
          const pairs = [
            [0, 1],
            [0, 2],
            [1, 2],
          ].map(([i, j]) => [numbers[i], numbers[j]]);
          const any = [numbers, ...pairs, ...numbers.map((n) => [n])].some((some) =>
            reachable(some).has(String(target)),
          );
          expect(
            search(
              numbers.map((n) => [n, String(n)]),
              target,
            ) !== null,
          ).toBe(any);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('fractions', () => {
  const fraction = fc
    .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 1, max: 999 }))
    .map(([n, d]) => rational(n, d));
  test('are exact, in lowest terms, and can be parsed from their text', () => {
    fc.assert(
      fc.property(fraction, fraction, fc.constantFrom('+', '-', '*', '/'), (a, b, op) => {
        if (!a || !b) throw new Error('both are numbers');
        expect(readRational(rationalText(a))).toEqual(a);
        const value = operate(op, a, b);
        expect(value === null).toBe(op === '/' && b.n === 0);
        if (!value) return;
        const [x, y] = [a.n / a.d, b.n / b.d];
        expect(value.n / value.d).toBeCloseTo({ '+': x + y, '-': x - y, '*': x * y, '/': x / y }[op], 6);
      }),
    );
    for (const text of ['', '(1/1)', '(2/4)', '1/2', '(1/0)', '(1/2', '--1', '01', '1.5', '1234567'])
      expect(readRational(text), text).toBeNull();
  });
});

describe('countdown', () => {
  test('every problem is solvable: a search solves all of them', () => {
    expect(solved(openWorldById('countdown', { levels: 2, heldoutLevels: 0 }), solve, 150)).toEqual(CEILING);
    for (let i = 0; i < 200; i++)
      for (const split of ['train', 'heldout'] as const) {
        const problem = world.problem(split, i, 3);
        expect(world.verify(problem, `#${problem.reference}`).correct, problem.prompt).toBe(true);
        expect(problem.prompt.split(' ').length - 3).toBe(problem.level + 2);
      }
  });

  test('verifies the worked example, and reports errors', () => {
    expect(judge('make 29 from 3 7 8?', '3*7=21', '21+8=29', '#3*7+8')).toMatchObject({
      correct: true,
      reward: 1,
      reason: 'right',
    });
    const reason = (answer: string) => judge('make 29 from 3 7 8?', answer).reason;
    expect(reason('#8+7*3')).toBe('right');
    expect(reason('#3*7')).toBe('makes 21');
    expect(reason('#8+3*(7)')).toBe('right');
    expect(reason('#7/3')).toBe('makes (7/3)');
    expect(reason('#29')).toBe('uses other numbers, or one too often');
    expect(reason('#7+7+7+8')).toBe('uses other numbers, or one too often');
    expect(reason('#3*7+8=29')).toBe('malformed answer');
    expect(reason('#3/(7-7)')).toBe('uses other numbers, or one too often');
    expect(judge('make 3 from 2 4 6?', '#4/(6-4-2)').reason).toBe('uses other numbers, or one too often');
    expect(judge('make 3 from 2 2 3?', '#3/(2-2)').reason).toBe('divides by zero');
    expect(judge('make 24 from 3 3 8 8?', '#8/(3-8/3)').correct).toBe(true);
  });

  test('steps use available numbers, once each', () => {
    expect(flags('make 24 from 3 3 8 8?', '8/3=(8/3)', '3-(8/3)=(1/3)', '8/(1/3)=24', '#8/(3-8/3)')).toEqual([
      [true, true],
      [true, true],
      [true, true],
    ]);
    expect(flags('make 29 from 3 7 8?', '3*7=22', '22+8=30', '#3*7+8')).toEqual([
      [false, true],
      [true, true],
    ]);
    expect(flags('make 29 from 3 7 8?', '3*7=21', '3+8=11', '7-7=0', '7/0=1', '#3*7+8')).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [false, false],
    ]);
  });

  test('right demonstrations are sound; some wrong ones claim the target, the others admit that they miss it', () => {
    const { right, wrong, rambling } = stepsOf(world, 400);
    expect(right.sound).toBe(1);
    expect(rambling.sound).toBe(0);
    expect(wrong.sound).toBeGreaterThan(0.25);
    expect(wrong.sound).toBeLessThan(0.75);
    expect(wrong.count).toBeGreaterThan(60);
  });
});

test('searches written as text: branches that miss the target are taken back step by step (ATS)', () => {
  const prompt = 'make 29 from 3 7 8?';
  // every return frees the operands of the last step again; one too many has nothing to take back
  expect(flags(prompt, '3+7=10', '10+8=18', '<', '<', '3*7=21', '21+8=29', '#3*7+8')).toEqual(
    Array.from({ length: 6 }, () => [true, true]),
  );
  expect(flags(prompt, '3+7=10', '<', '<', '3*7=21', '3*8=24', '#3*7+8')?.slice(1)).toEqual([
    [true, true],
    [true, false],
    [true, true],
    [true, false],
  ]);
  const searching = openWorldById('countdown', { deadEnds: 3, wrong: 0, rambling: 0 });
  const counts = new Map<number, number>();
  for (let at = 0; at < 200; at++) {
    const { prompt: asked, answer } = searching.demonstration(at, 5);
    const { correct, steps = [] } = searching.verify(asked, answer);
    expect(correct && steps.every(({ holds, follows }) => holds && follows), answer).toBe(true);
    const target = /\d+/.exec(asked)?.[0] ?? '';
    const lines = answer.split('\n');
    const ends = lines.filter((line, k) => line !== '<' && lines[k + 1] === '<');
    for (const line of ends) expect(line.endsWith(`=${target}`), answer).toBe(false);
    expect(lines.filter((line) => line === '<').length * 2).toBeLessThan(lines.length);
    counts.set(ends.length, (counts.get(ends.length) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted()).toEqual([0, 1, 2, 3]);
  // without dead ends the world is as it was
  expect(world.alphabet).not.toContain('<');
  expect(world.demonstration(0, 1).answer).not.toContain('<');
});
