import { mul, neg, scalar, sigmoid, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';

/** Reward from which an answer counts as desirable. */
const DESIRABLE = 0.5;

/**
 * Kahneman–Tversky optimization: maximizes the value of an answer, a sigmoid of its log-ratio above
 * (undesirable: below) the reference point (arXiv:2402.01306, the KTO loss). Answers count as desirable if
 * their reward is at least ½.
 */
export const prospectValue = ({
  beta,
  desirableWeight,
  undesirableWeight,
}: {
  readonly beta: number;
  readonly desirableWeight: number;
  readonly undesirableWeight: number;
}) =>
  objective({
    id: `prospectValue(${beta})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total', 'row/reference-point', 'logp/initial'],
    prepare: ({
      mask,
      weight,
      'reward/total': reward,
      'row/reference-point': point,
      'logp/initial': reference,
    }) => {
      const side = (sign: 1 | -1) => weight.map((w, r) => (reward[r] >= DESIRABLE === sign > 0 ? w : 0));
      const mean = (weights: Float64Array) => {
        const sum = weights.reduce((a, b) => a + b, 0);
        return weights.map((w) => (sum > 0 ? w / sum : 0));
      };
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        sign: reward.map((value) => (value >= DESIRABLE ? 1 : -1)),
        weights: weight.map(
          (value, r) => (value * (reward[r] >= DESIRABLE ? desirableWeight : undesirableWeight)) / rows,
        ),
        before: maskedSums(reference, mask),
        point,
        chosen: mean(side(1)),
        rejected: mean(side(-1)),
        rowShare: mean(weight),
      };
    },
    loss: ({ tokens, mask, before, point, sign, weights, chosen, rejected, rowShare }, learner) => {
      const gained_R = sub(answerLogp(learner, tokens, mask), before);
      const loss_R = sigmoid(neg(mul(scalar(beta), mul(sign, sub(gained_R, point)))));
      const reward_R = mul(scalar(beta), gained_R);
      return {
        loss: weightedSum(weights, loss_R),
        metrics: {
          'rewards/chosen': weightedSum(chosen, reward_R),
          'rewards/rejected': weightedSum(rejected, reward_R),
          kl: weightedSum(rowShare, point),
        },
      };
    },
  });
