import * as z from 'zod';
import { defineWorld } from '../world.ts';

const params = z
  .strictObject({
    letters: z.int().min(2).max(26).default(4).describe('Size of the alphabet.'),
    length: z.int().min(1).max(16).default(2).describe('Letters to repeat.'),
    wrong: z.number().min(0).max(1).default(0.5).describe('Share of demonstrations with random letters.'),
    heldout: z
      .number()
      .min(0.05)
      .max(0.8)
      .default(0.25)
      .describe('Share of the strings that are kept for evaluation.'),
  })
  .refine((p) => p.letters ** p.length >= 16, {
    message: 'there must be at least 16 different strings',
    path: ['length'],
  });

/**
 * Repeat a short string: `ab>` → `ab`. The reward is the share of matching positions, so that an untrained
 * policy still earns some.
 */
export const copy = defineWorld({
  id: 'toy/copy',
  title: 'Toy: copy',
  summary: 'Repeat a short string; partial credit for each right position. Learned within seconds.',
  params,
  build: (p) => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'.slice(0, p.letters);
    const problem = new RegExp(`^[${letters}]{${p.length}}>$`);
    const draw = (pick: (from: string) => string) =>
      Array.from({ length: p.length }, () => pick(letters)).join('');
    return {
      alphabet: `${letters}>`,
      maxPromptTokens: p.length + 1,
      maxTokens: p.length + 1,
      heldout: p.heldout,
      problem: (_, random) => {
        const text = draw((from) => from[random.int(from.length)]);
        return { prompt: `${text}>`, reference: text, meta: {} };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt))
          return { correct: false, reward: 0, reason: 'not a problem of this world' };
        if (completion.length > 8 * (p.length + 1)) return { correct: false, reward: 0, reason: 'too long' };
        const target = prompt.slice(0, -1);
        const agreeing = [...target].filter((letter, i) => completion[i] === letter).length;
        const reward = agreeing / Math.max(target.length, completion.length);
        return {
          correct: reward === 1,
          reward,
          reason: reward === 1 ? 'right' : `${agreeing} of ${target.length} places agree`,
        };
      },
      demonstration: ({ reference }, random) => {
        if (random.next() >= p.wrong) return { answer: reference, kind: 'right' };
        for (;;) {
          const answer = draw((from) => from[random.int(from.length)]);
          if (answer !== reference) return { answer, kind: 'wrong' };
        }
      },
    };
  },
});
