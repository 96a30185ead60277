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
  turns: z
    .int()
    .min(2)
    .max(8)
    .default(2)
    .describe(
      'Turns of an answer: all but the first repeat the letter before them, and are rewarded at the end.',
    ),
  wrong: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Share of the repeating turns of demonstrations that are another letter.'),
  heldout: z
    .number()
    .min(0.05)
    .max(0.8)
    .default(0.25)
    .describe('Share of the prompts that are kept for evaluation.'),
});

/**
 * Two turns: whatever the first is, the world replies with a letter, and the second repeats it: `ab>` →
 * `c⟦b⟧b`. With more turns the world replies to each but the last (`c⟦b⟧b⟦a⟧a`), and the reward is the mean over
 * the turns that repeat, of answers with all turns.
 */
export const turns = defineWorld({
  id: 'toy/turns',
  title: 'Toy: turns',
  summary:
    'Say something, receive a letter, repeat it, in two turns or more; a letter cannot be known before. Learned ' +
    'within seconds.',
  params,
  build: (p) => {
    const letters = 'abcdefgh'.slice(0, p.letters);
    const problem = new RegExp(`^[${letters}]{${p.length}}>$`);
    const secret = (prompt: string, said: readonly string[]): string =>
      letters[Math.floor(hashFraction('toy/turns', prompt, ...said) * letters.length)];
    const turns: Turns = {
      limit: p.turns,
      next: (prompt, said) =>
        problem.test(prompt) && said.length < p.turns ? { reply: secret(prompt, said) } : { done: true },
    };
    const maxTokens = 5 * p.turns - 2;
    return {
      alphabet: `${letters}>${REPLY_BEGINS}${REPLY_ENDS}`,
      maxPromptTokens: p.length + 1,
      maxTokens,
      heldout: p.heldout,
      turns,
      problem: (_, draw) => {
        const prompt = `${Array.from({ length: p.length }, () => letters[draw.int(letters.length)]).join('')}>`;
        return { prompt, reference: secret(prompt, ['a']), meta: {} };
      },
      verify: (prompt, completion) => {
        if (!problem.test(prompt))
          return { correct: false, reward: 0, reason: 'not a problem of this world' };
        const said = completion.length > 8 * maxTokens ? null : replayed(turns, prompt, completion);
        if (said?.length !== p.turns)
          return { correct: false, reward: 0, reason: `not ${p.turns} turns of this world` };
        const targets = said.slice(1).map((_, at) => secret(prompt, said.slice(0, at + 1)));
        const rewards = targets.map((target, at) => {
          const turn = said[at + 1];
          return turn.startsWith(target) ? 1 / turn.length : 0;
        });
        const reward = rewards.reduce((a, b) => a + b) / rewards.length;
        const missed = targets[rewards.findIndex((each) => each < 1)];
        return { correct: reward === 1, reward, reason: reward === 1 ? 'right' : `not "${missed}" alone` };
      },
      demonstration: ({ prompt }, draw) => {
        const wrong = Array.from({ length: p.turns - 1 }, () => draw.next() < p.wrong);
        const answer = played(turns, prompt, (replies) => {
          const reply = replies.at(-1);
          if (reply === undefined) return letters[draw.int(letters.length)];
          return wrong[replies.length - 1]
            ? draw.pick([...letters].filter((letter) => letter !== reply))
            : reply;
        });
        return { answer, kind: wrong.includes(true) ? 'wrong' : 'right' };
      },
    };
  },
});
