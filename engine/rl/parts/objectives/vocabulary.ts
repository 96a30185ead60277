/** Objectives that read whole next-token distributions. */
import {
  add,
  cast,
  clip,
  concat,
  div,
  exp,
  full,
  less,
  log,
  logSoftmax,
  max,
  maximum,
  mul,
  neg,
  not,
  scalar,
  sigmoid,
  slice,
  square,
  stopGradient,
  sub,
  sum,
} from '../../../tensor/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagedAndShared, averagingWeights } from '../math/averages.ts';
import { broadcast } from '../../kernel/rows.ts';
import { binaryCrossEntropy, indicator, logSumExp, tokenLogit, weightedSum } from '../math/expressions.ts';
import { followed } from '../math/places.ts';

/**
 * Offline inverse soft-Q learning with the logits as action values (arXiv:2409.01369, the IQLearn form of
 * imitation): −log π + λ·(Q(s, a) − γ·V(s'))², V = log Σ exp Q, and V = 0 after the last token. The squared
 * term is the implied reward, which λ keeps small; with λ = 0 this is the likelihood.
 */
export const inverseSoftQ = ({
  rewardWeight,
  gamma,
  average,
}: {
  readonly rewardWeight: number;
  readonly gamma: number;
  readonly average: Average;
}) =>
  objective({
    id: `inverseSoftQ(${rewardWeight}, ${gamma}, ${average})`,
    needs: ['tokens', 'mask', 'weight'],
    prepare: ({ mask, weight }, limits) => ({
      weights: averagingWeights(mask, weight, average, limits),
      goesOn: followed(mask),
    }),
    loss: ({ tokens, weights, goesOn }, learner) => {
      const logp = learner.logp(tokens);
      const value = learner.ofLogits(tokens, logSumExp);
      const [R, T] = value.type.shape;
      const next = concat([slice(value, 1, 1, T), full(0, [R, 1])], 1);
      const reward = sub(add(logp, value), mul(scalar(gamma), mul(goesOn, next)));
      const squared = weightedSum(weights, square(reward));
      const nll = neg(weightedSum(weights, logp));
      return { loss: add(nll, mul(scalar(rewardWeight), squared)), metrics: { nll } };
    },
  });

/**
 * The value of dead ends (arXiv:2302.14003): σ(logit of a token) learns the probability that the answer ends
 * badly after it, −Q_D, from the next token's (temporal differences, SARSA: `bootstrap` of it) and from the end
 * itself (the rest of it), without a discount. The last token learns its own end. Rewards from ½ up are good
 * ends.
 */
export const deadEnds = ({ bootstrap, average }: { readonly bootstrap: number; readonly average: Average }) =>
  objective({
    id: `deadEnds(${bootstrap}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'reward/total'],
    prepare: ({ mask, weight, 'reward/total': reward }, limits) => ({
      weights: averagingWeights(mask, weight, average, limits),
      goesOn: followed(mask),
      bad: broadcast(
        reward.map((value) => Number(value < 0.5)),
        mask,
      ),
    }),
    loss: ({ tokens, weights, goesOn, bad }, learner) => {
      const logit = tokenLogit(learner, tokens);
      const [R, T] = logit.type.shape;
      const next = concat([slice(stopGradient(sigmoid(logit)), 1, 1, T), full(0, [R, 1])], 1);
      const target = add(bad, mul(mul(scalar(bootstrap), goesOn), sub(next, bad)));
      return { loss: weightedSum(weights, binaryCrossEntropy(target, logit)) };
    },
  });

/** Least probability of a token, and of all others, in a divergence. */
const SMALL = 1e-6;

/** The `share` lowest log-probabilities of the trained tokens lie below this number; −∞ without tokens. */
const quantile = (logp: PerToken, mask: PerToken<Uint8Array>, share: number): number => {
  const own = logp.values.filter((_, at) => mask.values[at] === 1).sort();
  return own.length === 0 ? -Infinity : own[Math.min(Math.floor(share * own.length), own.length - 1)];
};

/**
 * Low-probability regularization (arXiv:2510.03222) of tokens that were unlikely (below the `share` quantile
 * of the batch), had a negative advantage, and survive the filter: their probability is at least `minP` × the
 * largest. Such a token is held to q, its probability at sampling over the mass that survives the filter, by
 * the divergence of the two outcomes "this token or another", q·log(q/π) + (1 − q)·log((1 − q)/(1 − π)): a
 * lower bound of the paper's KL to the whole filtered distribution, since that of the sampler is not stored.
 * The filter reads the current distribution, without gradient. Averaged over all trained tokens.
 */
export const lowProbability = ({
  share,
  minP,
  average = 'token',
}: {
  readonly share: number;
  readonly minP: number;
  readonly average?: Average;
}) =>
  objective({
    id: `lowProbability(${share}, ${minP}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'advantage'],
    prepare: ({ mask, weight, behaviorLogp, advantage }, limits) => {
      const bound = quantile(behaviorLogp, mask, share);
      const only = (column: PerToken<Float64Array>): PerToken<Float64Array> => ({
        ...column,
        values: column.values.map((w, at) =>
          behaviorLogp.values[at] < bound && advantage.values[at] < 0 ? w : 0,
        ),
      });
      const { weights, tokenShare } = averagedAndShared(mask, weight, average, limits);
      return { weights: only(weights), tokenShare: only(tokenShare) };
    },
    loss: ({ tokens, mask, behaviorLogp, weights, tokenShare }, learner) => {
      const least = scalar(Math.log(minP));
      const logp = mul(mask, learner.logp(tokens));
      const top = learner.ofLogits(tokens, (logits) => max(logSoftmax(stopGradient(logits)), -1));
      const mass = learner.ofLogits(tokens, (logits) => {
        const fixed = logSoftmax(stopGradient(logits));
        const kept = cast(not(less(fixed, add(max(fixed, -1, true), least))), 'float32');
        return sum(mul(kept, exp(fixed)), -1);
      });
      const survives = indicator(not(less(stopGradient(logp), add(top, least))));
      // outside the answer the mass is 0, and so is the weight
      const held = clip(div(exp(behaviorLogp), maximum(mass, scalar(SMALL))), SMALL, 1 - SMALL);
      const other = log(maximum(sub(scalar(1), exp(logp)), scalar(SMALL)));
      const rest = sub(scalar(1), held);
      const divergence = add(mul(held, sub(log(held), logp)), mul(rest, sub(log(rest), other)));
      return {
        loss: weightedSum(weights, mul(survives, divergence)),
        metrics: { 'low_probability/regularized': weightedSum(tokenShare, survives) },
      };
    },
  });
