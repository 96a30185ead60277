import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openWorldById } from '../../../engine/worlds/index.ts';
import {
  parseProgram,
  printProgram,
  PROGRAM_LETTERS,
  runProgram,
} from '../../../engine/worlds/program-language.ts';
import { CEILING, solved } from '../../support/worlds.ts';

const world = openWorldById('program');
const run = (text: string, input: number) => {
  const program = parseProgram(text);
  return program === null ? 'no program' : runProgram(program, input);
};

describe('the language of the world program', () => {
  test.each([
    ['+3', 4, 7],
    ['-9', 4, -5],
    ['*2+1', 4, 9],
    ['+1*2', 4, 10],
    ['*0', -4, 0],
    ['?e(+1)(-1)', 4, 5],
    ['?e(+1)(-1)', 5, 4],
    ['?e(+1)(-1)', -3, -4],
    ['?p(*2)(*3)', 0, 0],
    ['?p(+2)(+3)', 0, 3],
    ['?5(+1)()', 5, 5],
    ['?5(+1)()', 6, 7],
    ['r3(*2)', 1, 8],
    ['r0(+1)', 1, 1],
    ['r2(?e(+1)(*3))', 2, 9],
    ['r9(r9(+1))', 0, 81],
    ['()', 1, 'no program'],
    ['', 1, 'no program'],
    ['+', 1, 'no program'],
    ['+10', 1, 'no program'],
    ['?e(+1)', 1, 'no program'],
    ['?x(+1)(+1)', 1, 'no program'],
    ['r(+1)', 1, 'no program'],
    ['(+1)', 1, 'no program'],
    ['+1)', 1, 'no program'],
    ['r9(*9)', 9, null],
    ['r9(r9(r9(+1)))', 0, null],
  ])('%s of %d is %s', (text, input, output) => expect(run(text, input)).toBe(output));

  test('prints what it parses, and never loops or throws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PROGRAM_LETTERS), { maxLength: 40 }).map((letters) => letters.join('')),
        (text) => {
          const program = parseProgram(text);
          if (!program) return;
          expect(printProgram(program)).toBe(text);
          const value = runProgram(program, 7);
          expect(value === null || Number.isSafeInteger(value)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
    expect(run('r9('.repeat(60) + '+1' + ')'.repeat(60), 0)).toBe('no program');
    expect(run('r9('.repeat(40) + '*1' + ')'.repeat(40), 0)).toBeNull();
  });
});

describe('the world program', () => {
  /** All programs of each level, by enumeration. */
  const operations = ['+', '-', '*'].flatMap((kind) =>
    Array.from({ length: 9 }, (_, i) => `${kind}${i + 1}`),
  );
  const pairs = operations.flatMap((a) => operations.map((b) => [a, b]));
  const branches = ['e', 'p', '2', '4', '6'].flatMap((condition) =>
    pairs.map(([a, b]) => `?${condition}(${a})(${b})`),
  );
  const candidates: readonly string[][] = [
    operations,
    pairs.map((pair) => pair.join('')),
    branches,
    [2, 3, 4].flatMap((times) => pairs.map(([a, b]) => `r${times}(${a})${b}`)),
  ];

  test('a solver that tries every program solves every problem', () => {
    const byExhaustion = (prompt: string): string => {
      const level = Number(prompt[8]);
      const tests = [...prompt.matchAll(/(\d)>(-?\d+)/g)].map(([, input, output]) => [
        Number(input),
        Number(output),
      ]);
      return `#${candidates[level - 1].find((text) => tests.every(([input, output]) => run(text, input) === output)) ?? 'none'}`;
    };
    expect(solved(world, byExhaustion, 120)).toEqual(CEILING);
  });

  test('verifies only by the tests', () => {
    const prompt = 'program 2: 3>8 0>2 9>20 4>10?';
    const judge = (answer: string) => world.verify(prompt, answer);
    for (const answer of ['#+1*2', '#*2+2', '#+1+0*2', '#r1(*2)+2', '#?e(*2+2)(+1*2)'])
      expect(judge(answer), answer).toMatchObject({ correct: true, reward: 1 });
    expect(judge('#+5').reason).toBe('1 of 4 tests pass');
    expect(judge('#8').reason).toBe('not a program');
    expect(judge('+1*2').reason).toBe('no answer line');
    expect(judge('so\n#+1*2').reason).toBe('more than a program');
    expect(world.verify('program 9: 3>8 0>2 9>20?', '#+1*2').reason).toBe('not a problem of this world');
  });

  test('may reward the share of tests that pass, and is right only if all do', () => {
    const shared = openWorldById('program', { credit: 'share' });
    const prompt = 'program 2: 3>8 0>2 9>20 4>10?';
    const rewards = ['#+1*2', '#+5', '#*2+3', '#8', 'none'].map((answer) => shared.verify(prompt, answer));
    expect(rewards.map(({ correct, reward }) => [correct, reward])).toEqual([
      [true, 1],
      [false, 0.25],
      [false, 0],
      [false, 0],
      [false, 0],
    ]);
    expect(world.verify(prompt, '#+5').reward).toBe(0);
  });

  test('every level has problems whose reference passes', () => {
    const hardest = openWorldById('program', { levels: 1, heldoutLevels: 5, tests: 6 });
    const levels = new Set(
      Array.from({ length: 200 }, (_, i) => {
        const { prompt, reference, level } = hardest.problem('heldout', i, 0);
        expect(hardest.verify(prompt, `#${reference}`).correct, prompt).toBe(true);
        return level;
      }),
    );
    expect(levels.size).toBe(6);
  });
});
