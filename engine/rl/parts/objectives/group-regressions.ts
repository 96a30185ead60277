/** Objectives that compare whole answers of a group by regression or classification. */
import { WhetstoneError } from '../../../common/errors.ts';
import {
  add,
  full,
  mul,
  reshape,
  scalar,
  softplus,
  square,
  stopGradient,
  sub,
  sum as total,
  type Expr,
} from '../../../tensor/index.ts';
import type { PerRow } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedSums } from '../../kernel/rows.ts';
import { averagingWeights } from '../math/averages.ts';
import { answerLogp, weightedSum } from '../math/expressions.ts';

/**
 * Sum of weights of each row's group. Throws `unsupported` unless rows come in groups of `size`, which the
 * graph requires.
 */
export const groupWeights = (groupId_R: PerRow, weight_R: PerRow, size: number): PerRow => {
  const sums = weight_R.map((_, r) => {
    const first = r - (r % size);
    const own = Array.from({ length: size }, (_x, i) => first + i);
    if (own.some((at) => groupId_R[at] !== groupId_R[first])) {
      throw new WhetstoneError('unsupported', `This objective compares groups of exactly ${size} answers.`, {
        where: 'controllers',
        hint: 'Leave out the controller that shares out answers between prompts.',
      });
    }
    return own.reduce((sum, at) => sum + weight_R[at], 0);
  });
  return sums;
};

/** Sum over each row's group, on each of its rows: rows [G·n] in groups of n. */
export const groupSums = (values_R: Expr, n: number): Expr => {
  const R = values_R.type.shape[0];
  return reshape(mul(total(reshape(values_R, [R / n, n]), [1], true), full(1, [R / n, n])), [R]);
};

/**
 * Contrastive policy gradient (arXiv:2406.19185, the loss on pairs): ½·(R_β(y) − R_β(y'))² with R_β = R −
 * β·log π/π_ref, over all pairs of a group, which is Σ w·(R_β − their mean)²/(Σ w − 1). No importance
 * weights: it is valid for answers of any origin, and zero at π ∝ π_ref·exp(R/β).
 */
export const contrastive = ({ beta, groupSize }: { readonly beta: number; readonly groupSize: number }) =>
  objective({
    id: `contrastive(${beta}, ${groupSize})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'reward/total', 'logp/initial'],
    unit: groupSize,
    prepare: ({ mask, groupId, weight, 'reward/total': reward, 'logp/initial': reference }) => {
      const sums = groupWeights(groupId, weight, groupSize);
      const groups = weight.length / groupSize;
      return {
        groupShare: weight.map((w, r) => w / sums[r]),
        weights: weight.map((w, r) => w / (Math.max(sums[r] - 1, 1) * groups)),
        // β·log π_ref + R: the constant part
        fixed: maskedSums(reference, mask).map((logp, r) => beta * logp + reward[r]),
      };
    },
    loss: ({ tokens, mask, groupShare, weights, fixed }, learner) => {
      const regularized = sub(fixed, mul(scalar(beta), answerLogp(learner, tokens, mask)));
      return {
        loss: weightedSum(
          weights,
          square(sub(regularized, groupSums(mul(groupShare, regularized), groupSize))),
        ),
      };
    },
  });

/**
 * Actor and critic in one classifier (arXiv:2509.02522, the PACS objective): ψ_i = r̂_i − mean of r̂_j, j ≠
 * i, with r̂ = β·log π/π_old of the whole answer, is the logit of being right: cross-entropy with the
 * verdict. Groups of `size` answers; `balance` gives right and wrong ones half the weight each, whatever
 * their numbers. A reward between 0 and 1 is a soft label.
 */
export const coupledClassifier = ({
  beta,
  groupSize,
  balance,
}: {
  readonly beta: number;
  readonly groupSize: number;
  readonly balance: boolean;
}) =>
  objective({
    id: `coupledClassifier(${beta}, ${groupSize})`,
    needs: ['tokens', 'mask', 'groupId', 'weight', 'behaviorLogp', 'row/right', 'row/accuracy'],
    unit: groupSize,
    prepare: (
      { mask, groupId, weight, behaviorLogp, 'row/right': right, 'row/accuracy': accuracy },
      limits,
    ) => {
      const rows = groupWeights(groupId, weight, groupSize).length;
      const even = (p: number) => (balance && p > 0 && p < 1 ? 2 * p : 1);
      return {
        old: maskedSums(behaviorLogp, mask),
        tokenShare: averagingWeights(mask, weight, 'token', limits),
        positive: weight.map((w, r) => (w * right[r]) / (rows * even(accuracy[r]))),
        negative: weight.map((w, r) => (w * (1 - right[r])) / (rows * even(1 - accuracy[r]))),
      };
    },
    loss: ({ tokens, mask, positive, negative, old, tokenShare }, learner) => {
      const score = mul(scalar(beta), sub(answerLogp(learner, tokens, mask), old));
      const logit = mul(
        scalar(1 / (groupSize - 1)),
        sub(mul(scalar(groupSize), score), groupSums(score, groupSize)),
      );
      return {
        loss: add(
          weightedSum(positive, softplus(mul(scalar(-1), logit))),
          weightedSum(negative, softplus(logit)),
        ),
        metrics: { entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))) },
      };
    },
  });
