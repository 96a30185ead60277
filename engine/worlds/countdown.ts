import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import { parse, print, type Expression } from './expression.ts';
import { operate, rational, rationalText, readRational, type Division, type Rational } from './rational.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  withRedundantLines,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type StepVerdict, type WorldVerdict } from './world.ts';

const HIGHEST = 4;
/** A line that takes the last step back. */
const BACK = '<';
const operators: readonly Division[] = ['+', '-', '*', '/'];
const params = z
  .strictObject({
    largestNumber: z
      .int()
      .min(8)
      .max(100)
      .default(10)
      .describe('Numbers are drawn from 1 to this, each at most once.'),
    largestTarget: z.int().min(10).max(999).default(50).describe('Targets are whole numbers from 1 to this.'),
    deadEnds: z
      .int()
      .min(0)
      .max(8)
      .default(0)
      .describe(
        'Most dead ends that a right demonstration writes out before its solution: steps that miss the target, and ' +
          'a line < to take each back. 0: the solution alone.',
      ),
    ...workedFields(HIGHEST, 2, 1),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);
type Params = z.output<typeof params>;

/**
 * Make a target from numbers, each used at most once: `make 29 from 3 7 8?` → `3*7=21`, `21+8=29`, `#3*7+8`.
 * Exact intermediate fractions are allowed. Level L gives L + 2 numbers, and some expression of all of them
 * makes the target. With dead ends a demonstration is a search written as text: `3+7=10`, `10+8=18`, `<`, `<`, then
 * the solution (ATS: Zhang et al. 2023, arXiv:2310.10686); `<` takes the last step back.
 */
export const countdown = defineWorld({
  id: 'countdown',
  title: 'Countdown',
  summary:
    'Reach a target with some numbers, each used at most once, by + − × ÷; always solvable. Levels grow by one number.',
  params,
  build: (p) => {
    const sizes = sizesOf(p);
    return {
      alphabet: `0123456789makefro +-*/()=?#\n${p.deadEnds > 0 ? BACK : ''}`,
      ...sizes,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const { numbers, target, solution } = drawProblem(level + 2, p, draw);
        return {
          prompt: `make ${target} from ${numbers.join(' ')}?`,
          reference: print(solution),
          meta: { numbers: numbers.length, target },
        };
      },
      verify: countdownVerifier(4 * sizes.maxTokens),
      demonstration: ({ prompt, reference }, draw) => {
        const kind = kindOf(p, draw);
        if (kind === 'wrong') return { answer: wrongAnswer(prompt, draw).join('\n'), kind };
        const solution = worked(parse(reference, operators) as Expression<Division>);
        if (kind === 'right' && p.deadEnds > 0)
          return {
            answer: [...searched(prompt, solution, p.deadEnds, draw), `#${reference}`].join('\n'),
            kind,
          };
        const lines = [...solution, `#${reference}`];
        const idle = (line: string): string[] => {
          const value = line.slice(line.lastIndexOf('=') + 1);
          return [line, `${value}*1=${value}`];
        };
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, idle, sizes.maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

/** Values of steps stay below this, both numerator and denominator. */
const LARGEST_VALUE = 9999;
/**
 * A step has three values of at most 11 characters; the expression has a number, an operator and two
 * parentheses for each number.
 */
const sizesOf = (p: Params) => {
  const n = hardest(p) + 2;
  const digits = String(p.largestNumber).length;
  return {
    maxPromptTokens: 'make  from ?'.length + String(p.largestTarget).length + n * (digits + 1) - 1,
    maxTokens: (n - 1) * 36 * (1 + p.deadEnds) + 2 * (n - 1) * p.deadEnds + n * (digits + 3) + 24,
  };
};

/** The exact value of an expression; null for a division by zero. */
const valueOf = (e: Expression<Division>): Rational | null => {
  if (typeof e === 'number') return rational(e);
  const [a, b] = [valueOf(e.left), valueOf(e.right)];
  return a && b && operate(e.op, a, b);
};

/**
 * A tree over the numbers in a random order; null if an intermediate value is 0, too large, or a division by
 * zero.
 */
const drawExpression = (
  numbers: readonly number[],
  draw: RandomStream,
): { readonly e: Expression<Division>; readonly value: Rational } | null => {
  let parts = numbers.map((number) => ({
    e: number as Expression<Division>,
    value: { n: number, d: 1 } as Rational,
  }));
  while (parts.length > 1) {
    const [left] = parts.splice(draw.int(parts.length), 1);
    const [other] = parts.splice(draw.int(parts.length), 1);
    const op = draw.pick(operators);
    const value = operate(op, left.value, other.value);
    if (!value || value.n === 0 || Math.abs(value.n) > LARGEST_VALUE || value.d > LARGEST_VALUE) return null;
    parts = [...parts, { e: { op, left: left.e, right: other.e }, value }];
  }
  return parts[0];
};

const drawProblem = (count: number, { largestNumber, largestTarget }: Params, draw: RandomStream) => {
  for (;;) {
    const drawn = new Set<number>();
    while (drawn.size < count) drawn.add(1 + draw.int(largestNumber));
    const numbers = [...drawn].sort((a, b) => a - b);
    for (let attempt = 0; attempt < 50; attempt++) {
      const made = drawExpression(numbers, draw);
      const target = made?.value.d === 1 ? made.value.n : 0;
      if (made && target >= 1 && target <= largestTarget && !drawn.has(target))
        return { numbers, target, solution: made.e };
    }
  }
};

/** One line per operation, inner ones first, from left to right. `claim` may falsify the last one. */
const worked = (e: Expression<Division>, claim?: number): string[] => {
  const lines: string[] = [];
  const reduce = (node: Expression<Division>): Rational => {
    if (typeof node === 'number') return { n: node, d: 1 };
    const [a, b] = [reduce(node.left), reduce(node.right)];
    const value =
      // a solution never divides by zero
      node === e && claim !== undefined ? { n: claim, d: 1 } : (operate(node.op, a, b) as Rational);
    lines.push(`${rationalText(a)}${node.op}${rationalText(b)}=${rationalText(value)}`);
    return value;
  };
  reduce(e);
  return lines;
};

/** The values at hand after a step; null for a step that is none, or whose operands are not there. */
const after = (values: readonly string[], line: string): readonly string[] | null => {
  const [, a = '', , b = '', value = ''] = STEP.exec(line) ?? [];
  const first = values.indexOf(a);
  const second = values.findIndex((each, at) => each === b && at !== first);
  if (first < 0 || second < 0) return null;
  return [...values.filter((_value, at) => at !== first && at !== second), value];
};

/** Random steps from some values until one is left; null if that is the target, or a value is out of bounds. */
const missed = (values: readonly string[], target: number, draw: RandomStream): string[] | null => {
  const lines: string[] = [];
  for (let left = values; left.length > 1;) {
    const rest = [...left];
    const [a] = rest.splice(draw.int(rest.length), 1);
    const [b] = rest.splice(draw.int(rest.length), 1);
    const op = draw.pick(operators);
    const value = operate(op, readRational(a) as Rational, readRational(b) as Rational);
    if (!value || value.n === 0 || Math.abs(value.n) > LARGEST_VALUE || value.d > LARGEST_VALUE) return null;
    lines.push(`${a}${op}${b}=${rationalText(value)}`);
    left = [...rest, rationalText(value)];
    if (left.length === 1 && left[0] === String(target)) return null;
  }
  return lines;
};

/**
 * A depth-first search as text: before some steps of the solution, branches that end in another number than the
 * target, each taken back step by step.
 */
const searched = (
  prompt: string,
  solution: readonly string[],
  most: number,
  draw: RandomStream,
): string[] => {
  const { numbers, target } = parsePrompt(prompt) as Task; // a prompt written by this world
  const places = Array.from({ length: draw.int(most + 1) }, () => draw.int(solution.length));
  let values: readonly string[] = numbers.map(String);
  return solution.flatMap((line, at) => {
    const branches = places
      .filter((place) => place === at)
      .flatMap(() => {
        for (;;) {
          const branch = missed(values, target, draw);
          if (branch) return [...branch, ...branch.map(() => BACK)];
        }
      });
    values = after(values, line) ?? values;
    return [...branches, line];
  });
};

/**
 * An expression that misses the target: half of them state its true value in their last line, the others
 * claim to reach the target.
 */
const wrongAnswer = (prompt: string, draw: RandomStream): string[] => {
  const { numbers, target } = parsePrompt(prompt) as Task; // a prompt written by this world
  for (;;) {
    const made = drawExpression(numbers, draw);
    if (!made || (made.value.n === target && made.value.d === 1)) continue;
    return [...worked(made.e, draw.int(2) === 0 ? target : undefined), `#${print(made.e)}`];
  }
};

interface Task {
  readonly numbers: readonly number[];
  readonly target: number;
}
const parsePrompt = (prompt: string): Task | null => {
  const [, target, numbers] =
    /^make ([1-9]\d{0,2}) from ([1-9]\d{0,2}(?: [1-9]\d{0,2}){1,5})\?$/.exec(prompt) ?? [];
  return numbers === undefined ? null : { target: Number(target), numbers: numbers.split(' ').map(Number) };
};

const leaves = (e: Expression<Division>): number[] =>
  typeof e === 'number' ? [e] : [...leaves(e.left), ...leaves(e.right)];

/** True if each of `used` can be taken from `given` once. */
const within = (used: readonly number[], given: readonly number[]): boolean => {
  const left = [...given];
  return used.every((number) => {
    const at = left.indexOf(number);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
};

/** Checks the expression after `#`: the given numbers, each at most once, and exactly the target. */
const countdownVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const task = parsePrompt(prompt);
    if (!task) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const steps = judgeSteps(task, given.lines);
    const expression = parse(given.answer, operators);
    if (expression === null) return wrong('malformed answer', steps);
    if (!within(leaves(expression), task.numbers))
      return wrong('uses other numbers, or one too often', steps);
    const value = valueOf(expression);
    if (!value) return wrong('divides by zero', steps);
    return value.n === task.target && value.d === 1
      ? right(steps)
      : wrong(`makes ${rationalText(value)}`, steps);
  };

const STEP = /^(-?\d+|\(-?\d+\/\d+\))([-+*/])(-?\d+|\(-?\d+\/\d+\))=(-?\d+|\(-?\d+\/\d+\))$/;

/**
 * A step follows if its two operands are available: given numbers or earlier results, each used once; a return, if
 * there is a step to take back.
 */
const judgeSteps = ({ numbers }: Task, lines: readonly string[]): StepVerdict[] => {
  const there = numbers.map(String);
  const before: string[][] = [];
  const has = (text: string, but = -1): number => there.findIndex((value, i) => value === text && i !== but);
  return lines.map((line) => {
    if (line === BACK) {
      const values = before.pop();
      if (values) there.splice(0, there.length, ...values);
      return { line, holds: true, follows: values !== undefined };
    }
    const [, a = '', op, b = '', claimed = ''] = line.length > 100 ? [] : (STEP.exec(line) ?? []);
    const [left, other] = [readRational(a), readRational(b)];
    if (!left || !other || !readRational(claimed)) return { line, holds: false, follows: false };
    const value = operate(op as Division, left, other);
    const first = has(a);
    const second = has(b, first);
    const follows = first >= 0 && second >= 0;
    if (follows) {
      before.push([...there]);
      there.splice(Math.max(first, second), 1);
      there.splice(Math.min(first, second), 1, claimed);
    }
    return { line, holds: value !== null && rationalText(value) === claimed, follows };
  });
};

/**
 * The values of all expressions that use exactly these numbers once each: as text, fractions in parentheses.
 * Exhaustive: at most five numbers.
 */
export const reachable = (numbers: readonly number[]): ReadonlySet<string> => {
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = (values: readonly Rational[]): void => {
    const key = values.map(rationalText).sort().join(' ');
    if (seen.has(key)) return;
    seen.add(key);
    if (values.length === 1) found.add(rationalText(values[0]));
    values.forEach((a, i) =>
      values.forEach((b, j) => {
        if (i === j) return;
        const rest = values.filter((_, k) => k !== i && k !== j);
        for (const op of operators) {
          const value = i > j && (op === '+' || op === '*') ? null : operate(op, a, b);
          if (value) walk([...rest, value]);
        }
      }),
    );
  };
  walk(numbers.map((n) => ({ n, d: 1 })));
  return found;
};

/**
 * Number of pairs (set of three distinct numbers from 1 to `largest`, target from 1 to `targets`) that an
 * expression of all three solves, and the total number of pairs.
 */
export const countdownSolvable = (
  largest: number,
  targets: number,
): { readonly solvable: number; readonly of: number } => {
  let solvable = 0;
  let of = 0;
  for (let a = 1; a <= largest; a++)
    for (let b = a + 1; b <= largest; b++)
      for (let c = b + 1; c <= largest; c++) {
        const values = reachable([a, b, c]);
        of += targets;
        for (let target = 1; target <= targets; target++) if (values.has(String(target))) solvable++;
      }
  return { solvable, of };
};
