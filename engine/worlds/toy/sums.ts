import * as z from 'zod';
import type { RandomStream } from '../../random/random.ts';
import { NOT_A_PROBLEM } from '../worked.ts';
import { defineWorld } from '../world.ts';

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const params = z.strictObject({
  digits: z.int().min(2).max(4).default(3).describe('Digits of an answer.'),
  wrong: z.number().min(0).max(1).default(0.5).describe('Share of demonstrations with another sum.'),
  heldout: z
    .number()
    .min(0.05)
    .max(0.8)
    .default(0.25)
    .describe('Share of the prompts that are kept for evaluation.'),
});

/** Every text of `count` digits other than `without` whose sum is `sum`, in the order of the texts. */
const textsOf = (count: number, sum: number, without: number): readonly string[] => {
  if (count === 0) return sum === 0 ? [''] : [];
  if (sum < 0 || sum > 9 * count) return [];
  return DIGITS.filter((digit) => digit !== without).flatMap((digit) =>
    textsOf(count - 1, sum - digit, without).map((rest) => `${digit}${rest}`),
  );
};

/**
 * Write digits that have a sum, without one digit: `14-3=` → `590` or `077`, and dozens more (fewer at the
 * ends of the range). Every right answer earns the same, so that a policy may know one of them or many.
 */
export const sums = defineWorld({
  id: 'toy/sums',
  title: 'Toy: sums',
  summary: 'Write a few digits that have a given sum, without a given digit; dozens of answers are right.',
  params,
  build: ({ digits, wrong, heldout }) => {
    const read = (prompt: string) => {
      const [, sum, without] = /^(\d{1,2})-(\d)=$/.exec(prompt) ?? [];
      return sum !== undefined && Number(sum) >= digits && Number(sum) <= 8 * digits
        ? { sum: Number(sum), without: Number(without) }
        : null;
    };
    const right = (prompt: string): readonly string[] => {
      const asked = read(prompt);
      return asked ? textsOf(digits, asked.sum, asked.without) : [];
    };
    const drawn = (draw: RandomStream): string =>
      Array.from({ length: digits }, () => draw.int(DIGITS.length)).join('');
    return {
      alphabet: `${DIGITS.join('')}-=`,
      maxPromptTokens: 5,
      maxTokens: digits + 1,
      heldout,
      problem: (_, draw) => {
        const prompt = `${draw.between(digits, 8 * digits)}-${draw.int(DIGITS.length)}=`;
        return { prompt, reference: right(prompt)[0], meta: {} };
      },
      verify: (prompt, completion) => {
        const asked = read(prompt);
        if (!asked) return NOT_A_PROBLEM;
        if (!/^\d+$/.test(completion) || completion.length !== digits)
          return { correct: false, reward: 0, reason: `not ${digits} digits` };
        if (completion.includes(String(asked.without)))
          return { correct: false, reward: 0, reason: `with the digit ${asked.without}` };
        const sum = [...completion].reduce((total, digit) => total + Number(digit), 0);
        const correct = sum === asked.sum;
        return { correct, reward: Number(correct), reason: correct ? 'right' : `the sum is ${sum}` };
      },
      demonstration: ({ prompt }, draw) => {
        const answers = right(prompt);
        if (draw.next() >= wrong) return { answer: draw.pick(answers), kind: 'right' };
        for (;;) {
          const answer = drawn(draw);
          if (!answers.includes(answer)) return { answer, kind: 'wrong' };
        }
      },
    };
  },
});
