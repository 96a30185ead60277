import * as z from 'zod';
import { openedAt, reportUnread } from './checkpoints.ts';
import { defineReward } from './reward.ts';

/**
 * A model's own log-likelihood of an answer: the self-reward of sharpening, log π_base(y|x) (Huang et al. 2024,
 * arXiv:2412.01951, section 2). With a divergence of weight β from the same model its optimum is
 * π ∝ π_base^(1 + 1 ⁄ β); the best of n answers by it, imitated, is their supervised variant.
 */
export const likelihood = defineReward({
  id: 'likelihood',
  title: 'Own likelihood',
  summary: 'Log-probability of the answer under a checkpoint, such as the one that the run starts from.',
  params: z.strictObject({
    checkpointId: z.string().min(1).describe('Checkpoint of a policy, such as the start of this run.'),
    per: z
      .enum(['answer', 'token'])
      .default('answer')
      .describe('The sum over the answer’s tokens, end token included, or their mean.'),
  }),
  needs: ['policy'],
  scorer: async ({ checkpointId, per }, { policy, where = 'rewards: likelihood', ...context }) => {
    const base = await openedAt(policy, checkpointId, `${where}.params.checkpointId`);
    return async (rows) => {
      reportUnread('likelihood', base, rows, context);
      const logp = await base.score(rows);
      return per === 'answer' ? logp : logp.map((sum, r) => sum / Math.max(1, rows[r].tokens));
    };
  },
});
