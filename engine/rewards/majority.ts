import * as z from 'zod';
import { groupsOf, majorityOf } from './groups.ts';
import { defineReward } from './reward.ts';
import { partFields, partOf } from './verifiers/match.ts';

/**
 * Agreement with the group's majority answer: 1 or 0, without a reference (TTRL: Zuo et al. 2025,
 * arXiv:2504.16084, §2.2). Answers that tie for the most votes all earn 1, since a tie decides nothing; an
 * answer without an extractable part has no vote and earns 0.
 */
export const majority = defineReward({
  id: 'majority',
  title: 'Majority of the group',
  summary:
    'Agreement with the majority answer to the same prompt. Needs no reference; it reinforces ' +
    'what the model already does most.',
  params: z.strictObject({ ...partFields }),
  compares: true,
  scorer: (params) => (rows) => {
    const scores = new Float64Array(rows.length);
    const votes = rows.map(({ completion }) => partOf(completion, params));
    for (const group of groupsOf(rows)) {
      const winners = majorityOf(group.map((r) => votes[r]));
      for (const r of group) scores[r] = Number(winners.has(votes[r] ?? '') && votes[r] !== null);
    }
    return scores;
  },
});
