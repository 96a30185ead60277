import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import { WhetstoneError } from '../common/errors.ts';
import {
  parseProgram,
  printProgram,
  PROGRAM_LETTERS,
  runProgram,
  type Condition,
  type Program,
  type Step,
} from './program-language.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type WorldVerdict } from './world.ts';

const HIGHEST = 6;
/** Inputs of tests are digits, outputs have at most two of them. */
const LARGEST_OUTPUT = 99;
/** Longest correct program of each level, in characters. */
const longest = [0, 2, 4, 10, 7, 14, 14];
const IDLE = ['+0', '-0', '*1'];

const params = z
  .strictObject({
    tests: z
      .int()
      .min(3)
      .max(6)
      .default(4)
      .describe('Examples of input and output in a prompt: the unit tests that a program must pass.'),
    credit: z
      .enum(['all', 'share'])
      .default('all')
      .describe('Reward of a program: 1 if it passes all tests, or the share of them that it passes.'),
    ...workedFields(HIGHEST, 3, 1),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

interface Test {
  readonly input: number;
  readonly output: number;
}

/**
 * Write a program that passes the tests: `program 2: 3>8 0>2 9>20 4>10?` → `#+1*2`, or any other program
 * that does. Level 1 has one operation, 2 two, 3 an if, 4 a loop, 5 an if after an operation, 6 an if within
 * a loop.
 */
export const program = defineWorld({
  id: 'program',
  title: 'Programs',
  summary:
    'Write a program in a small language that passes the unit tests in the prompt: operations, ifs, loops.',
  params,
  build: (p) => {
    const room = Math.max(...longest.slice(1, hardest(p) + 1)) + 1 + 4;
    return {
      alphabet: `${PROGRAM_LETTERS}goam: >#`,
      maxPromptTokens: 'program 6:?'.length + p.tests * ' 9>-99'.length,
      maxTokens: room + 1,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const [found, tests] = drawProblem(level, p.tests, draw);
        return {
          prompt: `program ${level}:${tests.map(({ input, output }) => ` ${input}>${output}`).join('')}?`,
          reference: printProgram(found),
          meta: {},
        };
      },
      verify: programVerifier(8 * room, p.credit === 'share'),
      demonstration: ({ prompt, reference }, draw) => {
        const kind = kindOf(p, draw);
        const tests = testsOf(prompt) ?? [];
        if (kind === 'wrong') return { answer: `#${slipped(reference, tests, draw)}`, kind };
        const idle = kind === 'rambling' ? draw.pick(IDLE) : '';
        return { answer: `#${draw.int(2) === 0 ? idle + reference : reference + idle}`, kind };
      },
    };
  },
});

const LINE = /^program [1-6]:((?: \d>-?\d{1,2}){3,6})\?$/;
const testsOf = (prompt: string): Test[] | null =>
  LINE.exec(prompt)?.[1]
    .trim()
    .split(' ')
    .map((test) => {
      const [input, output] = test.split('>').map(Number);
      return { input, output };
    }) ?? null;

const passes = (found: Program, tests: readonly Test[]): number =>
  tests.filter(({ input, output }) => runProgram(found, input) === output).length;

/**
 * The unit tests decide the verdict; the reason gives the number that pass, and the reward may be their
 * share.
 */
const programVerifier =
  (most: number, isShared: boolean) =>
  (prompt: string, completion: string): WorldVerdict => {
    const tests = testsOf(prompt);
    if (!tests) return NOT_A_PROBLEM;
    const given = answerOf(completion, most);
    if ('correct' in given) return given;
    if (given.lines.length > 0) return wrong('more than a program');
    const found = parseProgram(given.answer);
    if (!found) return wrong('not a program');
    const passed = passes(found, tests);
    if (passed === tests.length) return right([]);
    const verdict = wrong(`${passed} of ${tests.length} tests pass`);
    return isShared ? { ...verdict, reward: passed / tests.length } : verdict;
  };

const operation = (draw: RandomStream): Step => {
  const kind = draw.pick(['+', '-', '*'] as const);
  return { kind, digit: kind === '*' ? 2 + draw.int(3) : 1 + draw.int(9) };
};
const condition = (draw: RandomStream): Condition => draw.pick(['e', 'p', '2', '4', '6'] as const);
const branch = (draw: RandomStream, length: number): Step => {
  const side = () => Array.from({ length }, () => operation(draw));
  return { kind: '?', condition: condition(draw), then: side(), otherwise: side() };
};
/**
 * A level-1 operation takes any digit that changes something, each equally often (of products two in five
 * are redrawn: they leave 0 unchanged); with the three factors of `operation`, one of them would be the
 * answer to every eleventh problem.
 */
const alone = (draw: RandomStream): Step => {
  const kind = draw.pick(['+', '+', '-', '-', '*', '*', '*'] as const);
  return { kind, digit: kind === '*' ? 2 + draw.int(8) : 1 + draw.int(9) };
};
const shapes: readonly ((draw: RandomStream) => Program)[] = [
  (draw) => [alone(draw)],
  (draw) => [operation(draw), operation(draw)],
  (draw) => [branch(draw, 1)],
  (draw) => [{ kind: 'r', times: 2 + draw.int(3), body: [operation(draw)] }, operation(draw)],
  (draw) => [operation(draw), branch(draw, 1)],
  (draw) => [{ kind: 'r', times: 2 + draw.int(2), body: [branch(draw, 1)] }],
];

/**
 * A program of the level and its tests: outputs are small and differ, so that no constant and no easier
 * program shape passes.
 */
const drawProblem = (level: number, count: number, draw: RandomStream): [Program, Test[]] => {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const found = shapes[level - 1](draw);
    const inputs: number[] = [];
    while (inputs.length < count) {
      const input = draw.int(10);
      if (!inputs.includes(input)) inputs.push(input);
    }
    const tests = inputs.map((input) => ({ input, output: runProgram(found, input) ?? Infinity }));
    if (
      tests.some(({ output }) => Math.abs(output) > LARGEST_OUTPUT) ||
      new Set(tests.map(({ output }) => output)).size < count - 1
    )
      continue;
    if (passes([], tests) === 0) return [found, tests];
  }
  throw new WhetstoneError('internal', `No program of level ${level} was found.`, { where: 'world program' });
};

/** The same program with one digit, operation or condition replaced, such that a test fails. */
const slipped = (reference: string, tests: readonly Test[], draw: RandomStream): string => {
  for (;;) {
    const at = draw.int(reference.length);
    const letter = reference[at];
    const group = ['0123456789', '+-*', 'ep'].find((letters) => letters.includes(letter));
    if (!group) continue;
    const text = reference.slice(0, at) + draw.pick(group.split('')) + reference.slice(at + 1);
    const other = parseProgram(text);
    if (other && passes(other, tests) < tests.length) return text;
  }
};
