/** Critics: regressions on returns. */
import {
  cast,
  less,
  maximum,
  minimum,
  mul,
  scalar,
  sigmoid,
  softplus,
  square,
  stopGradient,
  sub,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast } from '../../kernel/rows.ts';
import { correctness } from '../credit/accuracy.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';
import { firstOf } from '../math/places.ts';
import { stepPlaces } from '../math/steps.ts';

/** Regression of a critic on its targets: mean (V − R)². */
export const valueRegression = objective({
  id: 'valueRegression',
  needs: ['tokens', 'mask', 'weight', 'returns'],
  prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, returns, weights }, learner) => {
    const error = weightedSum(weights, square(sub(learner.values(tokens), returns)));
    return { loss: error, metrics: { 'value/error': error } };
  },
});

/**
 * Regression of the critic on its targets, the value clipped to within `clip` of its old value if that makes
 * the loss larger (arXiv:1707.06347's code; arXiv:2005.12729): ½·mean max((V − R)², (V_clipped − R)²).
 */
export const clippedValue = ({ clip }: { readonly clip: number }) =>
  objective({
    id: `clippedValue(${clip})`,
    needs: ['tokens', 'mask', 'weight', 'values', 'returns'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
    loss: ({ tokens, values, returns, weights }, learner) => {
      const now = learner.values(tokens);
      const kept = minimum(maximum(now, sub(values, scalar(clip))), sub(values, scalar(-clip)));
      const [free, bound] = [square(sub(now, returns)), square(sub(kept, returns))];
      return {
        loss: mul(weightedSum(weights, maximum(free, bound)), scalar(0.5)),
        metrics: {
          'value/error': weightedSum(weights, free),
          'value/clipped': weightedSum(weights, cast(less(free, bound), 'float32')),
        },
      };
    },
  });

/**
 * A critic of prompts: mean of (value − reward)² at the start of the answer (arXiv:2305.14718, the value of
 * the reference policy).
 */
export const promptValueError = objective({
  id: 'promptValueError',
  needs: ['tokens', 'mask', 'weight', 'reward/total'],
  prepare: ({ mask, weight, 'reward/total': rewards_R }) => {
    const rows = weight.reduce((a, b) => a + b, 0);
    return {
      weights: firstOf(
        mask,
        weight.map((x) => x / rows),
      ),
      target: firstOf(mask, rewards_R),
    };
  },
  loss: ({ tokens, weights, target }, learner) => ({
    loss: weightedSum(weights, square(sub(learner.values(tokens), target))),
  }),
});

/**
 * A critic’s logit at the start of each step learns the probability that answers continuing from there are
 * right: cross-entropy with the outcome, every step of the batch weighted equally. Each answer is one
 * rollout from each of its prefixes (arXiv:2412.18279 averages several: the same in expectation).
 */
export const prefixValue = objective({
  id: 'prefixValue',
  needs: ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'],
  prepare: ({ mask, weight, stepEnd, 'reward/total': reward }, limits) => {
    const begins = { ...mask, values: new Uint8Array(mask.values.length) };
    for (const { first } of stepPlaces(mask, stepEnd).flat()) begins.values[first] = 1;
    return {
      weights: averagingWeights(begins, weight, 'token', limits),
      right: broadcast(correctness(reward), begins),
    };
  },
  loss: ({ tokens, weights, right }, learner) => {
    const logit = learner.values(tokens);
    return {
      loss: weightedSum(weights, sub(softplus(logit), mul(right, logit))),
      metrics: { 'value/error': weightedSum(weights, square(sub(sigmoid(stopGradient(logit)), right))) },
    };
  },
});
