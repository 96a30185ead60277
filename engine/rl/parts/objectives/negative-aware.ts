import { add, exp, less, log, maximum, mul, neg, scalar, stopGradient, sub } from '../../../tensor/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast } from '../../kernel/rows.ts';
import { type Average, averagingWeights } from '../math/averages.ts';
import { maskedDifference, weightedSum, indicator } from '../math/expressions.ts';

/**
 * Weight of a prompt whose answers are right with probability p: √((1 − p)/p) as in GRPO, 1 − p as in Dr.
 * GRPO, or equal.
 */
export type PromptWeight = 'grpo' | 'dr-grpo' | 'even';

/**
 * Likelihood of right answers, and of wrong ones under the policy that they imply (arXiv:2505.18116, the NFT
 * objective and its prompt weights): the old policy is the mixture p·π⁺ + (1 − p)·π⁻, so π⁻ ∝ (1 − p·R)/(1 −
 * p) with R = π⁺/π_old token by token. −ω·[r·log R + (1 − r)·log max((1 − p·R)/(1 − p), ε)]; the bound
 * passes its gradient on. A reward between 0 and 1 counts as the probability of being right. Prompts
 * answered all right or all wrong have weight 0.
 */
export const negativeAware = ({
  promptWeight,
  epsilon,
  average = 'token',
}: {
  readonly promptWeight: PromptWeight;
  readonly epsilon: number;
  readonly average?: Average;
}) =>
  objective({
    id: `negativeAware(${promptWeight}, ${epsilon}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'row/right', 'row/accuracy'],
    prepare: ({ mask, weight, 'row/right': right, 'row/accuracy': p_R }, limits) => {
      const omega: { readonly [W in PromptWeight]: (p: number) => number } = {
        grpo: (p) => Math.sqrt((1 - p) / p),
        'dr-grpo': (p) => 1 - p,
        even: () => 1,
      };
      const safe_R = p_R.map((p) => (p > 1e-6 && p < 1 - 1e-6 ? p : 0.5));
      const counted = p_R.map((p, r) => (p === safe_R[r] ? omega[promptWeight](p) : 0));
      const weights = averagingWeights(mask, weight, average, limits);
      const promptWeights = broadcast(counted, mask);
      const weighted = (of: Float64Array): PerToken<Float64Array> => {
        const part = broadcast(of, mask);
        return {
          ...weights,
          values: weights.values.map((x, at) => x * promptWeights.values[at] * part.values[at]),
        };
      };
      return {
        positive: weighted(right),
        negative: weighted(right.map((r) => 1 - r)),
        tokenShare: averagingWeights(mask, weight, 'token', limits),
        slope: broadcast(
          safe_R.map((p) => p / (1 - p)),
          mask,
        ),
      };
    },
    loss: ({ tokens, mask, behaviorLogp, positive, negative, slope, tokenShare }, learner) => {
      const gained = maskedDifference(mask, learner.logp(tokens), behaviorLogp);
      // (1 − p·R)/(1 − p) = 1 + p/(1 − p)·(1 − R)
      const implied = add(scalar(1), mul(slope, sub(scalar(1), exp(gained))));
      const bounded = add(implied, stopGradient(sub(maximum(implied, scalar(epsilon)), implied)));
      return {
        loss: neg(add(weightedSum(positive, gained), weightedSum(negative, log(bounded)))),
        metrics: {
          'clip_ratio/low': weightedSum(tokenShare, indicator(less(implied, scalar(epsilon)))),
          entropy: weightedSum(tokenShare, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });
