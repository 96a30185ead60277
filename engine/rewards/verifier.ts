import * as z from 'zod';
import { judgedBy } from '../worlds/index.ts';
import { defineReward } from './reward.ts';

/** The world's own verdict: its reward, or 1 and 0 for right and wrong. */
export const verifier = defineReward({
  id: 'verifier',
  title: 'Verifier',
  summary: 'The world’s own verdict: exact, and cannot be gamed.',
  params: z.strictObject({
    value: z
      .enum(['reward', 'correct', 'sound'])
      .default('reward')
      .describe(
        'The world’s reward (may be partial credit); 1 for right and 0 for wrong; or 1 only if every worked ' +
          'line is right as well.',
      ),
  }),
  needs: ['world'],
  scorer:
    ({ value }, { world }) =>
    async (rows) => {
      const verdicts = await judgedBy(world, rows);
      return Float64Array.from(verdicts, ({ reward, correct, steps = [] }) => {
        if (value === 'reward') return reward;
        const isSound = value !== 'sound' || steps.every(({ holds, follows }) => holds && follows);
        return Number(correct && isSound);
      });
    },
});
