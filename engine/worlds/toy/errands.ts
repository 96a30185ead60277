import * as z from 'zod';
import { NOT_A_PROBLEM } from '../worked.ts';
import { defineWorld } from '../world.ts';
import { answerOf, changes, drawGoal, LONGEST, read, say, type Change } from './errand-language.ts';

const share = z.number().min(0).max(1);
const params = z.strictObject({
  changed: share.default(0).describe('Share of the instructions that are not said plainly.'),
  changes: z
    .int()
    .min(1)
    .max(changes.length)
    .default(1)
    .describe('Ways in which such an instruction differs from a plain one.'),
  wrong: share.default(0).describe('Share of demonstrations that do the errands in the wrong order.'),
  heldout: z
    .number()
    .min(0.05)
    .max(0.8)
    .default(0.2)
    .describe('Share of the instructions that are kept for evaluation.'),
});

const answerTo = (prompt: string): string | null => {
  const meant = read(prompt);
  return meant && answerOf(meant.goal);
};
const isChange = (text: string): text is Change => (changes as readonly string[]).includes(text);

/**
 * Two errands by an instruction that can be said in many ways: `take cup then push box.` → `tc pb`. Other
 * words, doubled letters, another order of the clauses, things that are not meant, and asides change no
 * meaning; a parser reads it exactly. An answer is right as a whole or not at all.
 */
export const errands = defineWorld({
  id: 'toy/errands',
  title: 'Toy: errands',
  summary: 'Do two errands in the order that an instruction says, which can be said in many ways.',
  params,
  build: (p) => ({
    alphabet: 'abcdefghijklmnopqrstuvwxyz ,.',
    maxPromptTokens: LONGEST,
    maxTokens: 'tc pb'.length + 1,
    heldout: p.heldout,
    problem: (_, draw) => {
      const goal = drawGoal(draw);
      const isChanged = p.changed > 0 && draw.next() < p.changed;
      const how = isChanged ? draw.shuffle(changes).slice(0, p.changes) : [];
      return { prompt: say(goal, new Set(how), draw), reference: answerOf(goal), meta: {} };
    },
    verify: (prompt, completion) => {
      const meant = read(prompt);
      if (!meant) return NOT_A_PROBLEM;
      const correct = completion === answerOf(meant.goal);
      return { correct, reward: Number(correct), reason: correct ? 'right' : 'another errand' };
    },
    wordings: {
      kinds: changes,
      say: (prompt, kinds, draw) => {
        const meant = read(prompt);
        return meant && say(meant.goal, new Set(kinds.filter(isChange)), draw);
      },
      kindsOf: (prompt) => read(prompt)?.changes ?? [],
      answer: answerTo,
      worked: answerTo,
    },
    demonstration: ({ reference }, draw) =>
      p.wrong > 0 && draw.next() < p.wrong
        ? { answer: reference.split(' ').reverse().join(' '), kind: 'wrong' }
        : { answer: reference, kind: 'right' },
  }),
});
