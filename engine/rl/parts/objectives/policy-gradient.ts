import { abs, clip, exp, greater, less, mul, neg, scalar, stopGradient, sub } from '../../../tensor/index.ts';
import type { PerRow } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast, maskedCounts, maskedSums } from '../../kernel/rows.ts';
import { type Average, averagedAndShared, averagingWeights } from '../math/averages.ts';
import { clippedCredit, type ClipRange } from '../math/clipping.ts';
import { answerLogp, indicator, maskedDifference, weightedSum } from '../math/expressions.ts';

/**
 * −Σ w·A·log π: the score function's gradient, without ratios (Williams 1992). Exact for answers sampled
 * from the current policy.
 */
export const scoreFunction = ({ average = 'answer' }: { readonly average?: Average } = {}) =>
  objective({
    id: `scoreFunction(${average})`,
    needs: ['tokens', 'mask', 'weight', 'advantage'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, advantage, weights, tokenShare }, learner) => ({
      loss: neg(weightedSum(weights, mul(advantage, learner.logp(tokens)))),
      metrics: { entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))) },
    }),
  });

/**
 * Policy gradient with the importance ratio clipped to [1 − low, 1 + high] if that makes the objective
 * smaller (arXiv:1707.06347, eq. 7; unequal bounds: arXiv:2503.14476). Reports the shares of tokens clipped
 * on each side and the policy's entropy.
 */
export const clippedSurrogate = ({
  clipLow,
  clipHigh,
  average = 'sequence',
}: ClipRange & { readonly average?: Average }) =>
  objective({
    id: `clippedSurrogate(${clipLow}, ${clipHigh}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, mask, behaviorLogp, advantage, weights, tokenShare }, learner) => {
      const difference = maskedDifference(mask, learner.logp(tokens), behaviorLogp);
      const ratio = exp(difference);
      const { surrogate, clipShares } = clippedCredit(ratio, advantage, { clipLow, clipHigh }, tokenShare);
      return {
        loss: neg(weightedSum(weights, surrogate)),
        metrics: {
          ...clipShares,
          entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))),
          'sampling/logp_difference': weightedSum(tokenShare, abs(stopGradient(difference))),
        },
      };
    },
  });

const perAnswer = (weight: PerRow): PerRow => {
  const rows = weight.reduce((a, b) => a + b, 0);
  return weight.map((w) => w / rows);
};

/**
 * The clipped surrogate of whole answers (arXiv:2507.18071, eq. 5 and 7): the ratio is the geometric mean of
 * an answer's token ratios, so a token is never clipped alone. An answer's advantage is the mean of its
 * tokens' (they are equal if credit is per answer).
 */
export const sequenceSurrogate = ({ clipLow, clipHigh }: ClipRange) =>
  objective({
    id: `sequenceSurrogate(${clipLow}, ${clipHigh})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight, advantage, behaviorLogp }, limits) => {
      const counts = maskedCounts(mask).map((n) => Math.max(n, 1));
      const mean = (values: Float64Array) => values.map((sum, r) => sum / counts[r]);
      return {
        weights: perAnswer(weight),
        tokenShare: averagingWeights(mask, weight, 'token', limits),
        inverse: broadcast(
          counts.map((n) => 1 / n),
          mask,
        ),
        behavior: mean(maskedSums(behaviorLogp, mask)),
        credit: mean(maskedSums(advantage, mask)),
      };
    },
    loss: ({ tokens, weights, tokenShare, inverse, behavior, credit }, learner) => {
      const ratio = exp(sub(answerLogp(learner, tokens, inverse), behavior));
      const { surrogate, clipShares } = clippedCredit(ratio, credit, { clipLow, clipHigh }, weights);
      return {
        loss: neg(weightedSum(weights, surrogate)),
        metrics: {
          ...clipShares,
          entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });

/**
 * Truncated importance weights on the score function (arXiv:2506.13585, eq. 4 and 5): −sg(clip(ratio, 1 −
 * low, 1 + high))·A·log π. Every token keeps a gradient, even if its ratio is out of bounds. `low` 1 removes
 * the lower bound.
 */
export const truncatedWeights = ({
  clipLow,
  clipHigh,
  average = 'token',
}: ClipRange & { readonly average?: Average }) =>
  objective({
    id: `truncatedWeights(${clipLow}, ${clipHigh}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, mask, behaviorLogp, advantage, weights, tokenShare }, learner) => {
      const logp = learner.logp(tokens);
      const difference = maskedDifference(mask, logp, behaviorLogp);
      const ratio = exp(difference);
      const truncated = stopGradient(clip(ratio, 1 - clipLow, 1 + clipHigh));
      return {
        loss: neg(weightedSum(weights, mul(mul(truncated, advantage), logp))),
        metrics: {
          'clip_ratio/low': weightedSum(tokenShare, indicator(less(ratio, scalar(1 - clipLow)))),
          'clip_ratio/high': weightedSum(tokenShare, indicator(greater(ratio, scalar(1 + clipHigh)))),
          entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))),
          'sampling/logp_difference': weightedSum(tokenShare, abs(stopGradient(difference))),
        },
      };
    },
  });
