import * as z from 'zod';
import type { RandomStream } from '../../random/random.ts';
import { NOT_A_PROBLEM } from '../worked.ts';
import { defineWorld } from '../world.ts';

const params = z
  .strictObject({
    letters: z.int().min(3).max(8).default(3).describe('Size of the alphabet.'),
    length: z.int().min(2).max(8).default(2).describe('Letters of an answer.'),
    comparisons: z
      .int()
      .min(0)
      .max(8)
      .default(2)
      .describe('Earlier comparisons of its user at the beginning of a prompt; 0: the user is hidden.'),
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
 * Two groups of users with opposite preferences, as in arXiv:2408.10075: one half prefers more letters `a`, the
 * other fewer. `ab>cb,aa>bc,cab?`: comparisons of the user, the preferred string first, then the question.
 * Whoever ignores the user is right about half of the pairs. Without comparisons, answers are judged as by the
 * first group, while pairs come from both.
 */
export const users = defineWorld({
  id: 'toy/users',
  title: 'Toy: two groups of users',
  summary:
    'Short strings; half of the users prefer more letters "a", half fewer. A prompt begins with comparisons of ' +
    'its user.',
  params,
  build: (p) => {
    const letters = 'abcdefgh'.slice(0, p.letters);
    const text = `[${letters}]{${p.length}}`;
    const problem = new RegExp(`^(${text}>${text},){${p.comparisons}}[${letters}]{3}\\?$`);
    const answer = new RegExp(`^${text}$`);
    const count = (of: string) => [...of].filter((letter) => letter === 'a').length;
    const string = (draw: RandomStream, length = p.length) =>
      Array.from({ length }, () => letters[draw.int(letters.length)]).join('');
    const pair = (draw: RandomStream): readonly [string, string] => {
      for (;;) {
        const [a, b] = [string(draw), string(draw)];
        if (count(a) !== count(b)) return [a, b];
      }
    };
    const likesMore = (prompt: string): boolean => {
      const [better, worse] = prompt.split(',')[0].split('>');
      return worse === undefined || count(better) > count(worse);
    };
    const rewardOf = (likes: boolean, completion: string) =>
      (likes ? count(completion) : p.length - count(completion)) / p.length;
    return {
      alphabet: `${letters}>,?`,
      maxPromptTokens: p.comparisons * (2 * p.length + 2) + 4,
      maxTokens: p.length + 1,
      heldout: p.heldout,
      problem: (_, draw) => {
        const likes = draw.int(2) === 0;
        const shown = Array.from({ length: p.comparisons }, () => {
          const [a, b] = pair(draw);
          return count(a) > count(b) === likes ? `${a}>${b}` : `${b}>${a}`;
        });
        return {
          prompt: [...shown, `${string(draw, 3)}?`].join(','),
          reference: (likes || p.comparisons === 0 ? 'a' : 'b').repeat(p.length),
          meta: { group: likes ? 'more' : 'fewer' },
        };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt)) return NOT_A_PROBLEM;
        if (!answer.test(completion))
          return { correct: false, reward: 0, reason: `not ${p.length} letters of the alphabet` };
        const likes = likesMore(prompt);
        const reward = rewardOf(likes, completion);
        return {
          correct: reward === 1,
          reward,
          reason: `${count(completion)} letters "a" for a user who likes ${likes ? 'more' : 'fewer'}`,
        };
      },
      demonstration: ({ prompt }, draw) => {
        const written = string(draw);
        return { answer: written, kind: rewardOf(likesMore(prompt), written) === 1 ? 'right' : 'wrong' };
      },
      preference: ({ meta }, draw) => {
        const [a, b] = pair(draw);
        return { a, b, better: count(a) > count(b) === (meta.group === 'more') ? 'a' : 'b' };
      },
    };
  },
});
