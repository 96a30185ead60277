import * as z from 'zod';
import { defineWorld } from '../world.ts';

const params = z
  .strictObject({
    letters: z.int().min(2).max(8).default(3).describe('Size of the alphabet.'),
    length: z.int().min(2).max(8).default(3).describe('Letters of an answer.'),
    ties: z
      .number()
      .min(0)
      .max(0.9)
      .default(0)
      .describe('Share of the pairs whose answers have equally many letters "a": judged equal.'),
    heldout: z
      .number()
      .min(0.05)
      .max(0.8)
      .default(0.25)
      .describe('Share of the prompts that are kept for evaluation.'),
  })
  .refine((p) => p.letters ** 3 >= 27, {
    message: 'there must be at least 27 different prompts',
    path: ['letters'],
  });

/**
 * A preference with a hidden rule: of two strings, the one with more letters `a` is better, whatever the
 * prompt; equal counts tie.
 */
export const pairs = defineWorld({
  id: 'toy/pairs',
  title: 'Toy: hidden preference',
  summary: 'Short strings; the one with more letters "a" is preferred. Demonstrations are random strings.',
  params,
  build: (p) => {
    const letters = 'abcdefgh'.slice(0, p.letters);
    const problem = new RegExp(`^[${letters}]{3}\\?$`);
    const answer = new RegExp(`^[${letters}]{${p.length}}$`);
    const count = (text: string) => [...text].filter((letter) => letter === 'a').length;
    const best = 'a'.repeat(p.length);
    return {
      alphabet: `${letters}?`,
      maxPromptTokens: 4,
      maxTokens: p.length + 1,
      heldout: p.heldout,
      problem: (_, draw) => ({
        prompt: `${Array.from({ length: 3 }, () => letters[draw.int(letters.length)]).join('')}?`,
        reference: best,
        meta: {},
      }),
      verify: (prompt, completion) => {
        if (!problem.test(prompt))
          return { correct: false, reward: 0, reason: 'not a problem of this world' };
        if (!answer.test(completion))
          return { correct: false, reward: 0, reason: `not ${p.length} letters of the alphabet` };
        return {
          correct: completion === best,
          reward: count(completion) / p.length,
          reason: `${count(completion)} of ${p.length} letters are "a"`,
        };
      },
      demonstration: (_, draw) => {
        const text = Array.from({ length: p.length }, () => letters[draw.int(letters.length)]).join('');
        return { answer: text, kind: text === best ? 'right' : 'wrong' };
      },
      preference: (_, draw) => {
        const tied = p.ties > 0 && draw.next() < p.ties;
        for (;;) {
          const [a, b] = [0, 1].map(() =>
            Array.from({ length: p.length }, () => letters[draw.int(letters.length)]).join(''),
          );
          if (tied && a !== b && count(a) === count(b)) return { a, b, better: 'tie' };
          if (!tied && count(a) !== count(b)) return { a, b, better: count(a) > count(b) ? 'a' : 'b' };
        }
      },
    };
  },
});
