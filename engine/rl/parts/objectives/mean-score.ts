import { mul, sum } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast, maskedCounts } from '../../kernel/rows.ts';
import { correctness } from '../credit/accuracy.ts';
import { binaryCrossEntropy, weightedSum } from '../math/expressions.ts';

/**
 * A token reward model: σ of the mean of its outputs over an answer's tokens predicts whether the answer is
 * right; cross-entropy, averaged over answers (arXiv:2502.06781, section 3.3).
 */
export const meanScoreEntropy = objective({
  id: 'meanScoreEntropy',
  needs: ['tokens', 'mask', 'weight', 'reward/total'],
  prepare: ({ mask, weight, 'reward/total': rewards_R }) => {
    const rows = weight.reduce((a, b) => a + b, 0);
    return {
      weights: weight.map((w) => w / rows),
      share: broadcast(
        maskedCounts(mask).map((n) => 1 / Math.max(n, 1)),
        mask,
      ),
      right: correctness(rewards_R),
    };
  },
  loss: ({ tokens, weights, share, right }, learner) => {
    const mean = sum(mul(share, learner.verdicts(tokens)), [1]);
    const error = weightedSum(weights, binaryCrossEntropy(right, mean));
    return { loss: error, metrics: { 'judge/error': error } };
  },
});
