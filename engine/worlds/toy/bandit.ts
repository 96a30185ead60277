import * as z from 'zod';
import { defineWorld } from '../world.ts';

const arms = [
  { completion: 'a', reward: 1 },
  { completion: 'b', reward: 0 },
  { completion: 'c', reward: -1 },
] as const;
const PROMPT = '?';

/**
 * Three arms with rewards 1, 0, −1 and one prompt: small enough that a method's optimum has a closed form.
 */
export const bandit = defineWorld({
  id: 'toy/bandit',
  title: 'Toy: three-armed bandit',
  summary: 'One prompt, three answers with rewards 1, 0 and -1; every outcome can be listed.',
  params: z.strictObject({}),
  build: () => ({
    alphabet: 'abc?',
    maxPromptTokens: 1,
    maxTokens: 2,
    outcomes: arms,
    heldout: null,
    problem: () => ({ prompt: PROMPT, reference: 'a', meta: {} }),
    verify: (prompt, completion) => {
      const arm = prompt === PROMPT ? arms.find((one) => one.completion === completion) : undefined;
      return arm
        ? { correct: arm.reward === 1, reward: arm.reward, reason: `arm ${arm.completion}` }
        : { correct: false, reward: -1, reason: 'not an arm' };
    },
    demonstration: (_, draw) => {
      const { completion } = draw.pick(arms);
      return { answer: completion, kind: completion === 'a' ? 'right' : 'wrong' };
    },
    preference: (_, draw) => {
      const first = draw.int(3);
      const second = (first + 1 + draw.int(2)) % 3;
      return { a: arms[first].completion, b: arms[second].completion, better: first < second ? 'a' : 'b' };
    },
  }),
});
