import * as z from 'zod';
import { defineReward } from './reward.ts';
import { innerReward, memoryOf, openInner } from './inner.ts';

/**
 * Flawed-aware rewards (FAPO: Ding et al. 2025, arXiv:2510.22543): 1 for a right answer by sound steps, 1 −
 * penalty for a right answer with a flaw, −1 for a wrong one. With penalty 1 a group's mean lies below a
 * flawed right answer while most answers are wrong, and above it once most are right and sound: such answers
 * help early, and are discouraged later, without a schedule.
 */
export const fapo = defineReward({
  id: 'fapo',
  title: 'Right but flawed',
  summary:
    'Right answers by sound steps earn 1, right ones with a flaw less, wrong ones −1. A verifier or a ' +
    'trained judge finds the flaws.',
  params: z.strictObject({
    outcome: innerReward
      .default({ id: 'verifier', params: { value: 'correct' } })
      .describe('The reward that tells right answers (½ or more) from wrong ones.'),
    soundness: innerReward
      .default({ id: 'verifier', params: { value: 'sound' } })
      .describe(
        'The detector: a right answer below the threshold is flawed. For example a process verifier.',
      ),
    threshold: z.number().default(0.5).describe('Least value of the detector for a sound answer.'),
    penalty: z.number().min(0).max(2).default(1).describe('What a flaw costs a right answer.'),
  }),
  inner: ({ outcome, soundness }) => [
    { path: 'outcome', ...outcome },
    { path: 'soundness', ...soundness },
  ],
  scorer: async ({ outcome, soundness, threshold, penalty }, context) => {
    const right = await openInner(context, outcome, 'fapo');
    const sound = await openInner(context, soundness, 'fapo');
    return {
      score: async (rows) => {
        const [outcomes, marks] = [await right.score(rows), await sound.score(rows)];
        return outcomes.map((each, r) => (each < 0.5 ? -1 : marks[r] < threshold ? 1 - penalty : 1));
      },
      ...((right.state || sound.state) && memoryOf([right, sound])),
    };
  },
});
