import * as z from 'zod';
import type { RandomStream } from '../../random/random.ts';
import { NOT_A_PROBLEM } from '../worked.ts';
import { defineWorld } from '../world.ts';

const alphabet = 'abcdefgh';
type Rewrite = (text: string, letters: string) => string;

const moved =
  (by: number): Rewrite =>
  (text, letters) =>
    [...text]
      .map((letter) => letters[(letters.indexOf(letter) + by + letters.length) % letters.length])
      .join('');

/** The rules by their mark in a prompt, the commonest of the mixture first. */
const rules = {
  reverse: { mark: 'R', rewrite: (text) => [...text].reverse().join('') },
  next: { mark: 'N', rewrite: moved(1) },
  rotate: { mark: 'O', rewrite: (text) => text.slice(1) + text[0] },
  swap: { mark: 'S', rewrite: (text) => text.replaceAll(/(.)(.)/g, '$2$1') },
  sort: { mark: 'T', rewrite: (text) => [...text].sort().join('') },
  previous: { mark: 'P', rewrite: moved(-1) },
} as const satisfies Record<string, { readonly mark: string; readonly rewrite: Rewrite }>;

export const rewritingRules = Object.keys(rules) as readonly (keyof typeof rules)[];

const params = z
  .strictObject({
    rule: z
      .enum(['mixture', 'reverse', 'next', 'rotate', 'swap', 'sort', 'previous'])
      .default('mixture')
      .describe('What is done to the string; mixture: all six, in shares of 6 : 5 : 4 : 3 : 2 : 1.'),
    letters: z.int().min(3).max(alphabet.length).default(6).describe('Size of the alphabet.'),
    length: z.int().min(2).max(8).default(4).describe('Letters of a string.'),
    wrong: z.number().min(0).max(1).default(0).describe('Share of demonstrations that follow another rule.'),
    heldout: z
      .number()
      .min(0.05)
      .max(0.8)
      .default(0.25)
      .describe('Share of the strings that are kept for evaluation.'),
  })
  .refine((p) => p.letters ** p.length >= 64, {
    message: 'there must be at least 64 different strings',
    path: ['length'],
  });

/** Of n rules, the first is drawn n times as often as the last, the others in between. */
const drawn = (draw: RandomStream): (typeof rewritingRules)[number] => {
  const shares = rewritingRules.flatMap((rule, at) =>
    Array.from({ length: rewritingRules.length - at }, () => rule),
  );
  return shares[draw.int(shares.length)];
};

/**
 * Rewrite a short string by the rule that its mark names: `Rabca>` → `acba` reversed, `Nabca>` → `bcdb` each
 * letter the next one. A family of related tasks around one mixture. The reward is the share of matching
 * places.
 */
export const rewriting = defineWorld({
  id: 'toy/rewriting',
  title: 'Toy: rewriting rules',
  summary: 'Rewrite a short string by one of six rules, or by a mixture of them in unequal shares.',
  params,
  build: (p) => {
    const letters = alphabet.slice(0, p.letters);
    const chosen = p.rule === 'mixture' ? rewritingRules : [p.rule];
    const marks = chosen.map((rule) => rules[rule].mark).join('');
    const problem = new RegExp(`^[${marks}][${letters}]{${p.length}}>$`);
    const string = (draw: RandomStream) =>
      Array.from({ length: p.length }, () => letters[draw.int(letters.length)]).join('');
    const rewritten = (prompt: string): string => {
      const rule = chosen.find((each) => rules[each].mark === prompt[0]) ?? chosen[0];
      return rules[rule].rewrite(prompt.slice(1, -1), letters);
    };
    return {
      alphabet: `${letters}${rewritingRules.map((rule) => rules[rule].mark).join('')}>`,
      maxPromptTokens: p.length + 2,
      maxTokens: p.length + 1,
      heldout: p.heldout,
      problem: (_, draw) => {
        const rule = p.rule === 'mixture' ? drawn(draw) : p.rule;
        const prompt = `${rules[rule].mark}${string(draw)}>`;
        return { prompt, reference: rewritten(prompt), meta: { rule } };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt)) return NOT_A_PROBLEM;
        if (completion.length > 8 * (p.length + 1)) return { correct: false, reward: 0, reason: 'too long' };
        const target = rewritten(prompt);
        const agreeing = [...target].filter((letter, i) => completion[i] === letter).length;
        const reward = agreeing / Math.max(target.length, completion.length);
        return {
          correct: reward === 1,
          reward,
          reason: reward === 1 ? 'right' : `${agreeing} of ${target.length} places agree`,
        };
      },
      demonstration: ({ prompt, reference }, draw) => {
        if (p.wrong === 0 || draw.next() >= p.wrong) return { answer: reference, kind: 'right' };
        const text = prompt.slice(1, -1);
        const others = rewritingRules
          .map((rule) => rules[rule].rewrite(text, letters))
          .filter((answer) => answer !== reference);
        return { answer: others[draw.int(others.length)], kind: 'wrong' };
      },
    };
  },
});
