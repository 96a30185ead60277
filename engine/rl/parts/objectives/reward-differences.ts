import {
  add,
  clip as clipped,
  maximum,
  mul,
  scalar,
  square,
  sub,
  sum,
  type Expr,
} from '../../../tensor/index.ts';
import { WhetstoneError } from '../../../common/errors.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';
import { sideOf } from '../math/pair-losses.ts';

/**
 * Regression of reward differences with proximal updates (arXiv:2402.08714, adapted from denoising steps to
 * tokens): ½·(Δr − β·Δ log π/π_ref)² of two answers to a prompt, at least as large as with each token's
 * log-ratio to the old policy clipped to ±ε, so that a step that leaves the trust region gains nothing.
 * Rows 2i and 2i + 1 are compared; answers of any origin may be.
 */
export const rewardDifferences = ({ beta, clip }: { readonly beta: number; readonly clip: number }) =>
  objective({
    id: `rewardDifferences(${beta}, ${clip})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'behaviorLogp', 'reward/total', 'logp/initial'],
    unit: 2,
    prepare: ({ mask, groupId, weight, behaviorLogp, 'reward/total': reward, 'logp/initial': reference }) => {
      if (groupId.length % 2 || groupId.some((group, r) => groupId[r ^ 1] !== group))
        throw new WhetstoneError('unsupported', 'This objective compares the answers of a prompt in twos.', {
          where: 'controllers',
          hint: 'Leave out the controller that shares out answers between prompts.',
        });
      const pairs_R = weight.map((w, r) => w * weight[r ^ 1]);
      const all = pairs_R.reduce((a, b) => a + b, 0);
      const [old_R, initial_R] = [maskedSums(behaviorLogp, mask), maskedSums(reference, mask)];
      return {
        // each pair has its weight on both rows
        weights: pairs_R.map((w) => w / Math.max(all, Number.MIN_VALUE)),
        fixed: reward.map((r, at) => r - beta * (old_R[at] - initial_R[at])),
      };
    },
    loss: ({ tokens, mask, behaviorLogp, weights, fixed }, learner) => {
      const moved = maskedDifference(mask, learner.logp(tokens), behaviorLogp);
      const errorOf = (moved_RT: Expr) => {
        const left_R = sub(fixed, mul(scalar(beta), sum(moved_RT, [1])));
        return square(sub(sideOf(left_R, 0), sideOf(left_R, 1)));
      };
      const share = sideOf(weights, 0);
      const [free, bound] = [errorOf(moved), errorOf(clipped(moved, -clip, clip))];
      return {
        loss: weightedSum(share, maximum(free, bound)),
        metrics: { 'advantage/error': weightedSum(add(share, share), free) },
      };
    },
  });
