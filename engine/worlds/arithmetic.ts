import * as z from 'zod';
import { arithmeticVerifier } from './arithmetic-verifier.ts';
import type { RandomStream } from '../random/random.ts';
import { WhetstoneError } from '../common/errors.ts';
import {
  apply,
  evaluate,
  intermediates,
  parse,
  print,
  reducible,
  replace,
  textOf,
  type Expression,
  type Operator,
} from './expression.ts';
import { kindOf, withRedundantLines, sharesFit } from './worked.ts';
import { arithmeticWordings } from './wordings/arithmetic.ts';
import { defineWorld } from './world.ts';

const fraction = z.number().min(0).max(1);
const operators: readonly Operator[] = ['+', '-', '*'];

const params = z
  .strictObject({
    oneStep: fraction.default(0.35).describe('Share of problems with one operation.'),
    twoSteps: fraction.default(0.4).describe('Share of problems with two operations; the rest has three.'),
    smallestOperand: z
      .int()
      .min(0)
      .max(99)
      .default(1)
      .describe('Operands are drawn from this on; with 0 among them, 0 is the answer to one problem in ten.'),
    largestOperand: z.int().min(1).max(99).default(20).describe('Operands are drawn up to this.'),
    largestValue: z
      .int()
      .min(1)
      .max(999)
      .default(99)
      .describe('No intermediate value is larger than this, or smaller than its negative.'),
    wrong: fraction
      .default(0.28)
      .describe('Share of demonstrations in which one step is wrong and is carried forward.'),
    rambling: fraction
      .default(0.08)
      .describe('Share of demonstrations that are right, with redundant lines between the steps.'),
    heldout: z
      .number()
      .min(0.01)
      .max(0.9)
      .default(0.2)
      .describe('Share of the problems that are kept for evaluation.'),
  })
  .refine((p) => p.oneStep + p.twoSteps <= 1 + 1e-9, {
    message: 'oneStep and twoSteps must not exceed 1 together',
    path: ['twoSteps'],
  })
  .refine((p) => p.largestOperand >= p.smallestOperand, {
    message: 'smallestOperand must not be larger than largestOperand',
    path: ['smallestOperand'],
  })
  .refine((p) => p.largestValue >= p.largestOperand, {
    message: 'largestValue must not be smaller than largestOperand',
    path: ['largestValue'],
  })
  .refine(...sharesFit);
type Params = z.output<typeof params>;

/**
 * Short arithmetic with one worked line per step: `7+4*3=?` → `4*3=12`, `7+12=19`, `#19`. Level = number of
 * operations. Operands 1 to 20 and values up to 99 are the smallest round ones with which no constant answer
 * is right for 5 % of a level's held-out problems (level 1: .043; with digits from 0 it is .12).
 */
export const arithmetic = defineWorld({
  id: 'arithmetic',
  title: 'Short arithmetic',
  summary:
    'One to three operations with precedence and parentheses, worked line by line; a share of ' +
    'the demonstrations is wrong or has redundant lines.',
  params,
  earlier: { smallestOperand: 0 },
  build: (p) => {
    const sizes = sizesOf(p);
    return {
      alphabet: '0123456789+-*()=?#\n',
      ...sizes,
      heldout: p.heldout,
      level: (draw) => {
        const u = draw.next();
        return u < p.oneStep ? 1 : u < p.oneStep + p.twoSteps ? 2 : 3;
      },
      problem: (level, draw) => {
        const expression = drawExpression(level, p, draw);
        return {
          prompt: `${print(expression)}=?`,
          reference: String(evaluate(expression)),
          meta: { operations: level },
        };
      },
      verify: arithmeticVerifier(4 * sizes.maxTokens),
      wordings: arithmeticWordings(worked),
      demonstration: ({ prompt }, draw) => {
        const expression = parse(prompt.slice(0, -2)) as Expression; // a prompt written by this world
        const kind = kindOf(p, draw);
        if (kind === 'wrong')
          return { answer: wrongAnswer(expression, p.largestValue, draw).join('\n'), kind };
        const lines = worked(expression);
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, idleAfter, sizes.maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

/**
 * Upper bounds of the texts' lengths: numbers have at most `w` characters, a step `a+b=c` with its line end
 * 3·w + 3.
 */
const sizesOf = ({ largestOperand, largestValue }: Params) => {
  const w = Math.max(String(largestOperand).length, String(-largestValue).length);
  return { maxPromptTokens: 4 * String(largestOperand).length + 9, maxTokens: 3 * (3 * w + 3) + (w + 2) + 7 };
};

/**
 * A tree of `operations` nodes, all shapes and operators equally likely, redrawn until every intermediate
 * value is small enough.
 */
const drawExpression = (
  operations: number,
  { smallestOperand, largestOperand, largestValue }: Params,
  draw: RandomStream,
): Expression => {
  const grow = (n: number): Expression => {
    if (n === 0) return smallestOperand + draw.int(largestOperand - smallestOperand + 1);
    const op = draw.pick(operators);
    // Catalan: 2, 1, 2 of the five trees of three nodes
    const before = n === 3 ? draw.pick([0, 0, 1, 2, 2]) : draw.int(n);
    return { op, left: grow(before), right: grow(n - 1 - before) };
  };
  for (;;) {
    const expression = grow(operations);
    if (intermediates(expression).every((v) => Math.abs(v) <= largestValue)) return expression;
  }
};

/**
 * The lines of a worked answer: always the leftmost operation whose operands are both numbers; then the
 * answer. `value` may falsify a step.
 */
const worked = (
  expression: Expression,
  value: (step: number, truth: number) => number = (_, truth) => truth,
): string[] => {
  const lines: string[] = [];
  let rest = expression;
  while (typeof rest !== 'number') {
    const [node] = reducible(rest);
    const result = value(lines.length, apply(node.op, node.left as number, node.right as number));
    lines.push(`${textOf(node)}=${result}`);
    rest = replace(rest, node, result);
  }
  return [...lines, `#${rest}`];
};

/**
 * One step is off by 1 to 3 and is carried forward, such that the final answer is wrong and no value grows
 * too large.
 */
const wrongAnswer = (expression: Expression, largestValue: number, draw: RandomStream): string[] => {
  const right = worked(expression);
  const last = right.length - 2;
  for (let attempt = 0; attempt < 1000; attempt++) {
    // A later multiplication by zero can hide an error: after some tries only the last step is falsified,
    // which nothing hides.
    const at = attempt < 8 ? draw.int(last + 1) : last;
    const off = (1 + draw.int(3)) * (draw.int(2) === 0 ? 1 : -1);
    const lines = worked(expression, (step, truth) => (step === at ? truth + off : truth));
    const small = lines.every(
      (line) =>
        Math.abs(Number(line.slice(line.lastIndexOf(line.startsWith('#') ? '#' : '=') + 1))) <= largestValue,
    );
    if (small && lines.at(-1) !== right.at(-1)) return lines;
  }
  throw new WhetstoneError('internal', `No wrong answer was found for ${print(expression)}.`, {
    where: 'world arithmetic',
  });
};

/** Redundant lines after a step: the step again, `12+0=12`, `12*1=12`. */
const idleAfter = (line: string): string[] => {
  const value = line.slice(line.indexOf('=') + 1);
  return [line, `${value}+0=${value}`, `${value}*1=${value}`];
};
