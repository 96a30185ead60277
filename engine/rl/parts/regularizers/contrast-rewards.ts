import { add, mul, neg, scalar, sigmoid, stopGradient, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';
import { pairWeights, sideOf } from '../math/pair-losses.ts';

/**
 * Regresses the policy's implicit token reward, β · log(π ⁄ π_ref), on the token's own reward, over both
 * answers of a pair. A pair is weighted as in DPO's gradient, σ(−margin), so that this linear term vanishes
 * once the pair is learned.
 */
export const contrastRewards = ({ beta }: { readonly beta: number }) =>
  objective({
    id: `contrastRewards(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'pairId', 'credit/contrast', 'logp/initial'],
    unit: 2,
    prepare: ({ mask, weight, 'credit/contrast': reward, 'logp/initial': reference }) => ({
      weights: pairWeights(weight),
      before: maskedSums(reference, mask),
      reward: { ...reward, values: reward.values.map((r, t) => (mask.values[t] ? r : 0)) },
      rewarded: maskedSums({ ...mask, values: reward.values.map((r, t) => r * reference.values[t]) }, mask),
    }),
    loss: ({ tokens, mask, before, reward, rewarded, weights }, learner) => {
      const gained_R = mul(sub(answerLogp(learner, tokens, mask), before), scalar(beta));
      const along_R = mul(sub(answerLogp(learner, tokens, reward), rewarded), scalar(beta));
      const unlearned = sigmoid(stopGradient(sub(sideOf(gained_R, 1), sideOf(gained_R, 0))));
      const pairShare = mul(sideOf(weights, 0), unlearned);
      return { loss: neg(weightedSum(pairShare, add(sideOf(along_R, 0), sideOf(along_R, 1)))) };
    },
  });
