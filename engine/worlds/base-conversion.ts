import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
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

const bases = { bin: 2, oct: 8, dec: 10, hex: 16 } as const;
type Base = keyof typeof bases;
const names = Object.keys(bases) as Base[];

/** Values of level L: from the previous bound up to this one, exclusive. */
const BOUNDS = [10, 64, 256, 1024, 4096, 16_384, 65_536] as const;
const HIGHEST = BOUNDS.length - 1;
const base = z.enum(['any', ...names]).default('any');
const params = z
  .strictObject({
    from: base.describe('Base of the given number.'),
    to: base.describe('Base of the answer.'),
    ...workedFields(HIGHEST, 3, 2),
  })
  .refine((p) => p.from === 'any' || p.from !== p.to, {
    message: 'from and to must not be the same base',
    path: ['to'],
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * Write a number in another base: `hex 2f to oct?` → `0*16+2=2`, `2*16+15=47`, `47/8=5r7`, `5/8=0r5`, `#57`.
 */
export const baseConversion = defineWorld({
  id: 'base-conversion',
  title: 'Base conversion',
  summary:
    'Binary, octal, decimal and hexadecimal numbers into one another, worked digit by digit; levels grow ' +
    'by the size of the number.',
  params,
  build: (p) => {
    const sizes = sizesOf(hardest(p));
    return {
      alphabet: '0123456789abcdefhxinot *+/=r?#\n',
      ...sizes,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const value = BOUNDS[level - 1] + draw.int(BOUNDS[level] - BOUNDS[level - 1]);
        const to = p.to === 'any' ? draw.pick(names.filter((name) => name !== p.from)) : p.to;
        const from = p.from === 'any' ? draw.pick(names.filter((name) => name !== to)) : p.from;
        return {
          prompt: `${from} ${value.toString(bases[from])} to ${to}?`,
          reference: value.toString(bases[to]),
          meta: { value },
        };
      },
      verify: baseVerifier(4 * sizes.maxTokens),
      demonstration: ({ prompt, reference }, draw) => {
        const problem = parse(prompt) as Conversion; // a prompt written by this world
        const kind = kindOf(p, draw);
        if (kind === 'wrong') return { answer: wrongAnswer(problem, reference, draw).join('\n'), kind };
        const lines = worked(problem);
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, (line) => [line], sizes.maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

interface Conversion {
  readonly digits: string;
  readonly from: Base;
  readonly to: Base;
}

/**
 * Binary is the longest: a line in and a line out per digit, each with two values of at most five figures.
 * Redundant lines get the room of four.
 */
const sizesOf = (level: number) => {
  const bits = (BOUNDS[level] - 1).toString(2).length;
  const figures = String(BOUNDS[level] - 1).length;
  const line = 2 * figures + '*16+15=.'.length;
  return {
    maxPromptTokens: 'bin  to hex?'.length + bits,
    maxTokens: (bits + Math.ceil(bits / 3) + 4) * line + bits + 2,
  };
};

const PROMPT = /^(bin|oct|dec|hex) ([1-9a-f][0-9a-f]{0,19}) to (bin|oct|dec|hex)\?$/;
const parse = (prompt: string): Conversion | null => {
  const [, from, digits, to] = PROMPT.exec(prompt) ?? [];
  if (!isBase(from) || !isBase(to) || from === to) return null;
  return [...digits].every((digit) => parseInt(digit, 16) < bases[from]) &&
    parseInt(digits, bases[from]) < BOUNDS[HIGHEST]
    ? { digits, from, to }
    : null;
};
const isBase = (name: string | undefined): name is Base => name !== undefined && name in bases;

/**
 * Digits read from the left (Horner's rule), then divided off from the right; decimal needs only one of the
 * two. `claim` may falsify a line's value.
 */
const worked = (
  { digits, from, to }: Conversion,
  claim: (step: number, truth: number) => number = (_, truth) => truth,
): string[] => {
  const lines: string[] = [];
  let value = from === 'dec' ? Number(digits) : 0;
  if (from !== 'dec') {
    for (const digit of digits) {
      const next = claim(lines.length, value * bases[from] + parseInt(digit, 16));
      lines.push(`${value}*${bases[from]}+${parseInt(digit, 16)}=${next}`);
      value = next;
    }
  }
  if (to === 'dec') return [...lines, `#${value}`];
  let written = '';
  do {
    const quotient = claim(lines.length, Math.floor(value / bases[to]));
    const remainder = value % bases[to];
    lines.push(`${value}/${bases[to]}=${quotient}r${remainder}`);
    written = remainder.toString(16) + written;
    value = quotient;
  } while (value > 0);
  return [...lines, `#${written}`];
};

/**
 * One line's value is off by one or two and is carried forward; redrawn if the answer comes out right, or a
 * number grows too long.
 */
const wrongAnswer = (problem: Conversion, reference: string, draw: RandomStream): string[] => {
  const steps = worked(problem).length - 1;
  for (;;) {
    const at = draw.int(steps);
    const off = (1 + draw.int(2)) * (draw.int(2) === 0 ? 1 : -1);
    const lines = worked(problem, (step, truth) => (step === at ? Math.max(0, truth + off) : truth));
    if (
      lines.at(-1) !== `#${reference}` &&
      lines.length <= steps + 2 &&
      lines.every((line) => line.length <= 18)
    )
      return lines;
  }
};

/** Checks `#2f` exactly: lower case, no prefix, no leading zeros. */
const baseVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const problem = parse(prompt);
    if (!problem) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const steps = judgeSteps(problem, given.lines);
    const value = parseInt(problem.digits, bases[problem.from]);
    if (given.answer === value.toString(bases[problem.to])) return right(steps);
    return wrong(/^(0|[1-9a-f][0-9a-f]*)$/.test(given.answer) ? 'wrong answer' : 'malformed answer', steps);
  };

const READ = /^(\d{1,6})\*(2|8|16)\+(\d{1,2})=(\d{1,7})$/;
const DIVIDED = /^(\d{1,7})\/(2|8|16)=(\d{1,7})r(\d{1,2})$/;

/** A line follows if it reads the next digit, or divides the value of all digits, or the last quotient. */
const judgeSteps = ({ digits, from, to }: Conversion, lines: readonly string[]): StepVerdict[] => {
  let read = from === 'dec' ? digits.length : 0;
  let value = from === 'dec' ? Number(digits) : 0;
  return lines.map((line) => {
    const reading = READ.exec(line);
    const dividing = DIVIDED.exec(line);
    if (reading) {
      const [before, by, digit, after] = reading.slice(1).map(Number);
      const follows =
        read < digits.length &&
        before === value &&
        by === bases[from] &&
        digit === parseInt(digits[read], 16);
      if (follows) [read, value] = [read + 1, after];
      return { line, holds: before * by + digit === after, follows };
    }
    if (!dividing) return { line, holds: false, follows: false };
    const [before, by, quotient, remainder] = dividing.slice(1).map(Number);
    const follows = read === digits.length && to !== 'dec' && before === value && by === bases[to];
    if (follows) value = quotient;
    return { line, holds: Math.floor(before / by) === quotient && before % by === remainder, follows };
  });
};
