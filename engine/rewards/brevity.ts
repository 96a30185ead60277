import * as z from 'zod';
import { judgedBy } from '../worlds/index.ts';
import { groupsOf } from './groups.ts';
import { defineReward } from './reward.ts';

/**
 * Relative brevity (the self-rewarded efficiency training of arXiv:2506.15647): of the right answers to a
 * prompt the shortest earns 1 and the longest 1 − span, linearly in tokens; a wrong answer earns 0. Right
 * answers of one length earn 1. The scale is the group's own: no target length is set.
 */
export const brevity = defineReward({
  id: 'brevity',
  title: 'Relative brevity',
  summary:
    'Right answers earn more the shorter they are among the right ones of their group; wrong ones earn 0.',
  params: z.strictObject({
    span: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('What the longest right answer of a group loses; 0 is the verdict alone.'),
  }),
  needs: ['world'],
  compares: true,
  scorer:
    ({ span }, { world }) =>
    async (rows) => {
      const verdicts = await judgedBy(world, rows);
      const scores = new Float64Array(rows.length);
      for (const group of groupsOf(rows)) {
        const right = group.filter((r) => verdicts[r].correct);
        const lengths = right.map((r) => rows[r].tokens);
        const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
        for (const r of right)
          scores[r] = most === least ? 1 : 1 - (span * (rows[r].tokens - least)) / (most - least);
      }
      return scores;
    },
});
