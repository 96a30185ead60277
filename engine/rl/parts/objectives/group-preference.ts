import { add, mul, neg, scalar, softplus, square, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';
import { groupSums, groupWeights } from './group-regressions.ts';

/**
 * Preference between the right and the wrong answers of a group (arXiv:2505.12723's group preference for
 * equivalent and other translations): −log σ(mean of right − mean of wrong) of h = β·log π/π_initial, plus
 * `equality` × the variance of h among the right and among the wrong ones, since members of a side are
 * interchangeable. An answer is right if its reward is above ½; groups on one side only count for nothing.
 */
export const groupPreference = ({
  beta,
  equality,
  groupSize,
}: {
  readonly beta: number;
  readonly equality: number;
  readonly groupSize: number;
}) =>
  objective({
    id: `groupPreference(${beta}, ${equality}, ${groupSize})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'reward/total', 'logp/initial'],
    unit: groupSize,
    prepare: ({ mask, groupId, weight, 'reward/total': reward, 'logp/initial': reference }) => {
      const sides = [1, 0].map((side) => weight.map((w, r) => (Number(reward[r] > 0.5) === side ? w : 0)));
      const [right_R, wrong_R] = sides.map((own) => groupWeights(groupId, own, groupSize));
      const mixed_R = right_R.map((sum, r) => Number(sum > 0 && wrong_R[r] > 0));
      const groups = Math.max(mixed_R.reduce((a, b) => a + b, 0) / groupSize, 1);
      const share = (own: Float64Array, sums_R: Float64Array) =>
        own.map((w, r) => (mixed_R[r] ? w / sums_R[r] : 0));
      return {
        weights: mixed_R.map((m) => m / (groupSize * groups)),
        perGroup: mixed_R.map((m) => m / groups),
        right: share(sides[0], right_R),
        wrong: share(sides[1], wrong_R),
        before: maskedSums(reference, mask),
      };
    },
    loss: ({ tokens, mask, weights, perGroup, right, wrong, before }, learner) => {
      const h = mul(scalar(beta), sub(answerLogp(learner, tokens, mask), before));
      const [good, bad] = [right, wrong].map((share) => groupSums(mul(share, h), groupSize));
      const spread = add(mul(right, square(sub(h, good))), mul(wrong, square(sub(h, bad))));
      return {
        loss: add(
          weightedSum(weights, softplus(neg(sub(good, bad)))),
          mul(scalar(equality), weightedSum(perGroup, spread)),
        ),
      };
    },
  });
