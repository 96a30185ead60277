/**
 * Objectives on probability ratios beside the clipped one of each token (`objectives.ts`): of whole answers,
 * and as plain weights.
 */
import {
  and,
  clip,
  exp,
  greater,
  less,
  log,
  maximum,
  minimum,
  mul,
  neg,
  scalar,
  stopGradient,
  sub,
  sum as total,
  add,
} from '../../tensor/index.ts';
import type { PerRow, PerToken } from '../kernel/columns.ts';
import { objective } from '../kernel/objective.ts';
import { broadcast, maskedCounts, maskedSums } from '../kernel/rows.ts';
import { stage } from '../kernel/stage.ts';
import { averagedAndShared, averagingWeights, type Average } from './averages.ts';
import { apart, dot, share } from './sums.ts';

const perAnswer = (weight: PerRow): PerRow => {
  const rows = weight.reduce((a, b) => a + b, 0);
  return weight.map((w) => w / rows);
};

/**
 * The clipped surrogate of whole answers (arXiv:2507.18071, eq. 5 and 7): the ratio is the geometric mean of
 * an answer's token ratios, so a token is never clipped alone. An answer's advantage is the mean of its
 * tokens' (they are equal where credit is given by answer).
 */
export const sequenceSurrogate = ({ low, high }: { readonly low: number; readonly high: number }) =>
  objective({
    id: `sequenceSurrogate(${low}, ${high})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight, advantage, behaviorLogp }, limits) => {
      const counts = maskedCounts(mask).map((n) => Math.max(n, 1));
      const mean = (values: Float64Array) => values.map((sum, r) => sum / counts[r]);
      return {
        w: perAnswer(weight),
        each: averagingWeights(mask, weight, 'token', limits),
        inverse: broadcast(
          counts.map((n) => 1 / n),
          mask,
        ),
        behavior: mean(maskedSums(behaviorLogp, mask)),
        credit: mean(maskedSums(advantage, mask)),
      };
    },
    loss: ({ tokens, w, each, inverse, behavior, credit }, learner) => {
      const ratio = exp(sub(total(mul(inverse, learner.logp(tokens)), [1]), behavior));
      const surrogate = minimum(mul(ratio, credit), mul(clip(ratio, 1 - low, 1 + high), credit));
      return {
        loss: neg(dot(w, surrogate)),
        metrics: {
          'clip_ratio/low': dot(w, share(and(less(ratio, scalar(1 - low)), less(credit, scalar(0))))),
          'clip_ratio/high': dot(w, share(and(greater(ratio, scalar(1 + high)), greater(credit, scalar(0))))),
          entropy: dot(each, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });

/**
 * Truncated importance weights in front of the score function (arXiv:2506.13585, eq. 4 and 5):
 * −sg(clip(ratio, 1 − low, 1 + high))·A·log π. Every token keeps a gradient, also where its ratio is out of
 * bounds. `low` 1 leaves the weights without a lower bound.
 */
export const truncatedWeights = ({
  low,
  high,
  average = 'token',
}: {
  readonly low: number;
  readonly high: number;
  readonly average?: Average;
}) =>
  objective({
    id: `truncatedWeights(${low}, ${high}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight }, limits) => averagedAndShared(mask, weight, average, limits),
    loss: ({ tokens, mask, behaviorLogp, advantage, w, each }, learner) => {
      const logp = learner.logp(tokens);
      const ratio = exp(apart(mask, logp, behaviorLogp));
      const weights = stopGradient(clip(ratio, 1 - low, 1 + high));
      return {
        loss: neg(dot(w, mul(mul(weights, advantage), logp))),
        metrics: {
          'clip_ratio/low': dot(each, share(less(ratio, scalar(1 - low)))),
          'clip_ratio/high': dot(each, share(greater(ratio, scalar(1 + high)))),
          entropy: dot(each, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });

/**
 * Mean reward of each answer's group, rewards held between 0 (wrong) and 1 (right): how often the policy is
 * right on that prompt.
 */
export const groupAccuracy = stage({
  id: 'groupAccuracy',
  needs: ['groupId', 'weight', 'reward/total'],
  adds: ['row/right', 'row/accuracy'],
  run: async ({ groupId, weight, 'reward/total': rewards_R }) => {
    const right = rewards_R.map((reward) => Math.min(1, Math.max(0, reward)));
    const sums = new Map<number, { weight: number; right: number }>();
    groupId.forEach((group, r) => {
      const sum = sums.get(group) ?? { weight: 0, right: 0 };
      sums.set(group, { weight: sum.weight + weight[r], right: sum.right + weight[r] * right[r] });
    });
    return {
      columns: {
        'row/right': right,
        'row/accuracy': Float64Array.from(groupId, (group) => {
          const sum = sums.get(group);
          return sum ? sum.right / sum.weight : 0;
        }),
      },
    };
  },
});

/**
 * How much a prompt counts whose answers are right with probability p: √((1 − p)/p) as in GRPO, 1 − p as in
 * Dr. GRPO, or alike.
 */
export type PromptWeight = 'grpo' | 'dr-grpo' | 'even';

/**
 * Likelihood of right answers, and of wrong ones under the policy that they imply (arXiv:2505.18116, the NFT
 * objective and its prompt weights): the old policy is the mixture p·π⁺ + (1 − p)·π⁻, so π⁻ ∝ (1 − p·R)/(1 −
 * p) with R = π⁺/π_old token by token. −ω·[r·log R + (1 − r)·log max((1 − p·R)/(1 − p), ε)]; the bound passes
 * its gradient on. A reward between 0 and 1 counts as the probability of being right. Prompts answered all
 * right or all wrong count 0.
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
      const told = p_R.map((p) => (p > 1e-6 && p < 1 - 1e-6 ? p : 0.5));
      const counted = p_R.map((p, r) => (p === told[r] ? omega[promptWeight](p) : 0));
      const w = averagingWeights(mask, weight, average, limits);
      const each = broadcast(counted, mask);
      const weighted = (of: Float64Array): PerToken<Float64Array> => {
        const share = broadcast(of, mask);
        return { ...w, values: w.values.map((x, at) => x * each.values[at] * share.values[at]) };
      };
      return {
        positive: weighted(right),
        negative: weighted(right.map((r) => 1 - r)),
        each: averagingWeights(mask, weight, 'token', limits),
        slope: broadcast(
          told.map((p) => p / (1 - p)),
          mask,
        ),
      };
    },
    loss: ({ tokens, mask, behaviorLogp, positive, negative, slope, each }, learner) => {
      const gained = apart(mask, learner.logp(tokens), behaviorLogp);
      // (1 − p·R)/(1 − p) = 1 + p/(1 − p)·(1 − R)
      const implied = add(scalar(1), mul(slope, sub(scalar(1), exp(gained))));
      const bounded = add(implied, stopGradient(sub(maximum(implied, scalar(epsilon)), implied)));
      return {
        loss: neg(add(dot(positive, gained), dot(negative, log(bounded)))),
        metrics: {
          'clip_ratio/low': dot(each, share(less(implied, scalar(epsilon)))),
          entropy: dot(each, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });
