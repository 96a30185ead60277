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
      .enum(['reward', 'correct'])
      .default('reward')
      .describe('The world’s reward (may be partial credit), or 1 for right and 0 for wrong.'),
  }),
  needs: ['world'],
  scorer:
    ({ value }, { world }) =>
    async (rows) => {
      const verdicts = await judgedBy(world, rows);
      return Float64Array.from(verdicts, ({ reward, correct }) =>
        value === 'reward' ? reward : Number(correct),
      );
    },
});
