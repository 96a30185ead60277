import * as z from 'zod';
import { hashFraction } from '../../random/hash.ts';
import { REPLY_BEGINS, REPLY_ENDS } from '../../common/transcript.ts';
import { played, replayed, type Turns } from '../turns.ts';
import { defineWorld } from '../world.ts';

const params = z.strictObject({
  letters: z.int().min(2).max(8).default(3).describe('Size of the alphabet.'),
  length: z
    .int()
    .min(4)
    .max(12)
    .default(6)
    .describe('Letters of a prompt: with few of them, replies could be memorized.'),
  wrong: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Share of demonstrations whose second turn is another letter.'),
  heldout: z
    .number()
    .min(0.05)
    .max(0.8)
    .default(0.25)
    .describe('Share of the prompts that are kept for evaluation.'),
});

/**
 * Two turns: whatever the first is, the world replies with a letter, and the second repeats it: `ab>` →
 * `c⟦b⟧b`.
 */
export const turns = defineWorld({
  id: 'toy/turns',
  title: 'Toy: two turns',
  summary:
    'Say something, receive a letter, repeat it; the letter cannot be known before. Learned ' +
    'within seconds.',
  params,
  build: (p) => {
    const letters = 'abcdefgh'.slice(0, p.letters);
    const problem = new RegExp(`^[${letters}]{${p.length}}>$`);
    const secret = (prompt: string, first: string): string =>
      letters[Math.floor(hashFraction('toy/turns', prompt, first) * letters.length)];
    const turns: Turns = {
      limit: 2,
      next: (prompt, [first, ...more]) =>
        problem.test(prompt) && more.length === 0 ? { reply: secret(prompt, first) } : { done: true },
    };
    return {
      alphabet: `${letters}>${REPLY_BEGINS}${REPLY_ENDS}`,
      maxPromptTokens: p.length + 1,
      maxTokens: 8,
      heldout: p.heldout,
      turns,
      problem: (_, draw) => {
        const prompt = `${Array.from({ length: p.length }, () => letters[draw.int(letters.length)]).join('')}>`;
        return { prompt, reference: secret(prompt, 'a'), meta: {} };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt))
          return { correct: false, reward: 0, reason: 'not a problem of this world' };
        const both = completion.length > 64 ? null : replayed(turns, prompt, completion);
        if (both?.length !== 2) return { correct: false, reward: 0, reason: 'not two turns of this world' };
        const [first, second] = both;
        const target = secret(prompt, first);
        const reward = second.startsWith(target) ? 1 / second.length : 0;
        return { correct: reward === 1, reward, reason: reward === 1 ? 'right' : `not "${target}" alone` };
      },
      demonstration: ({ prompt }, draw) => {
        const isWrong = draw.next() < p.wrong;
        const answer = played(turns, prompt, ([reply]) =>
          reply === undefined
            ? letters[draw.int(letters.length)]
            : isWrong
              ? draw.pick([...letters].filter((letter) => letter !== reply))
              : reply,
        );
        return { answer, kind: isWrong ? 'wrong' : 'right' };
      },
    };
  },
});
