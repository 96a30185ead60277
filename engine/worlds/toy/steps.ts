import * as z from 'zod';
import { answerOf, NOT_A_PROBLEM, right, wrong } from '../worked.ts';
import { defineWorld } from '../world.ts';

const params = z
  .strictObject({
    letters: z.int().min(3).max(8).default(3).describe('Size of the alphabet.'),
    length: z.int().min(2).max(8).default(3).describe('Letters to spell, each a step.'),
    wrong: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('Share of the letters of a demonstration that are replaced by another one.'),
    heldout: z
      .number()
      .min(0.05)
      .max(0.8)
      .default(0.25)
      .describe('Share of the strings that are kept for evaluation.'),
  })
  .refine((p) => p.letters ** p.length >= 9, {
    message: 'there must be at least 9 different strings',
    path: ['length'],
  });

/**
 * Spell a short string, one letter per line: `ab>` → `a`, `b`, `#`. Each line is judged separately, so that
 * step credit can be learned within seconds.
 */
export const steps = defineWorld({
  id: 'toy/steps',
  title: 'Toy: steps',
  summary: 'Spell a short string letter by letter; every line is right or wrong by itself.',
  params,
  build: (p) => {
    const letters = 'abcdefgh'.slice(0, p.letters);
    const problem = new RegExp(`^[${letters}]{${p.length}}>$`);
    return {
      alphabet: `${letters}>#\n`,
      maxPromptTokens: p.length + 1,
      maxTokens: 2 * p.length + 2,
      heldout: p.heldout,
      problem: (_, random) => {
        const text = Array.from({ length: p.length }, () => letters[random.int(letters.length)]).join('');
        return { prompt: `${text}>`, reference: [...text, '#'].join('\n'), meta: {} };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt)) return NOT_A_PROBLEM;
        const found = answerOf(completion, 8 * (p.length + 1));
        if (!('lines' in found)) return found;
        const verdicts = found.lines.map((line, at) => ({
          line,
          holds: line === prompt[at],
          follows: at < p.length,
        }));
        if (found.answer !== '') return wrong('text after the answer', verdicts);
        const all = verdicts.length === p.length && verdicts.every(({ holds }) => holds);
        return all
          ? right(verdicts)
          : wrong(
              `${verdicts.filter(({ holds, follows }) => holds && follows).length} of ${p.length} letters are right`,
              verdicts,
            );
      },
      demonstration: ({ prompt }, random) => {
        const lines = [...prompt.slice(0, -1)].map((letter) =>
          random.next() < p.wrong ? random.pick([...letters].filter((other) => other !== letter)) : letter,
        );
        return {
          answer: [...lines, '#'].join('\n'),
          kind: lines.join('') === prompt.slice(0, -1) ? 'right' : 'wrong',
        };
      },
    };
  },
});
