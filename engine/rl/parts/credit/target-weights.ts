import { broadcast, maskedSums } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { groupsOf } from '../math/groups.ts';

/**
 * Distributional policy gradient towards π* ∝ π_initial·exp(reward ⁄ β) (arXiv:2205.11275; GDC,
 * arXiv:2012.11635): the advantage of an answer is its importance weight π* ⁄ π, normalized over its group
 * to mean 1, minus 1 as the baseline. Its expectation is −∇KL(π* ‖ π): the forward divergence, whose only
 * minimum is π*. A large group estimates the normalizer with less bias; a group of one gets 0.
 */
export const targetWeights = ({ beta }: { readonly beta: number }) =>
  stage({
    id: `targetWeights(${beta})`,
    station: 'credit',
    needs: ['groupId', 'weight', 'mask', 'behaviorLogp', 'reward/total', 'logp/initial'],
    adds: ['advantage'],
    correctsSampling: true,
    run: async ({
      groupId,
      weight,
      mask,
      behaviorLogp,
      'reward/total': reward,
      'logp/initial': reference,
    }) => {
      const [own_R, initial_R] = [maskedSums(behaviorLogp, mask), maskedSums(reference, mask)];
      const log_R = reward.map((r, at) => r / beta + initial_R[at] - own_R[at]);
      const advantage_R = new Float64Array(log_R.length);
      for (const rows of groupsOf(groupId)) {
        const top = Math.max(...rows.map((r) => log_R[r]));
        const count = rows.reduce((sum, r) => sum + weight[r], 0);
        const total = rows.reduce((sum, r) => sum + weight[r] * Math.exp(log_R[r] - top), 0);
        for (const r of rows) advantage_R[r] = (count * Math.exp(log_R[r] - top)) / total - 1;
      }
      return { columns: { advantage: broadcast(advantage_R, mask) } };
    },
  });
