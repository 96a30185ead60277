/** Expressions shared by losses. */
import {
  type Expr,
  add,
  cast,
  exp,
  log,
  max,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  softplus,
  stopGradient,
  sub,
  sum,
} from '../../../tensor/index.ts';
import type { ModelGraphView } from '../../kernel/objective.ts';

/** Σ weight · value over all elements: reduces losses and metrics to one number. */
export const weightedSum = (weights: Expr, values: Expr): Expr => sum(mul(weights, values));

/** 1 where a condition holds and 0 elsewhere; its weighted sum is a share. */
export const indicator = (condition: Expr): Expr => cast(condition, 'float32');

/**
 * a − b inside the mask, and 0 elsewhere: a safe argument of `exp`. On prompt tokens two models (or one at a
 * low temperature) may differ by more nats than float32 has exponents, and weight 0 times infinity is NaN.
 */
export const maskedDifference = (mask: Expr, a: Expr, b: Expr): Expr => mul(mask, sub(a, b));

/** −[y·log σ(s) + (1 − y)·log σ(−s)] of a logit s whose target y is between 0 and 1. */
export const binaryCrossEntropy = (target: Expr, logit: Expr): Expr =>
  add(mul(target, softplus(neg(logit))), mul(sub(scalar(1), target), softplus(logit)));

/**
 * [R]: log-probability of each row's answer, Σ mask · log π over its tokens. Weights instead of the mask
 * give a weighted sum: 1 ⁄ length the mean of an answer's tokens.
 */
export const answerLogp = (learner: ModelGraphView, tokens_RT: Expr, mask_RT: Expr): Expr =>
  sum(mul(mask_RT, learner.logp(tokens_RT)), [1]);

/** log Σ exp over the vocabulary: [N, V] → [N]. */
export const logSumExp = (logits_NV: Expr): Expr => {
  const top = stopGradient(max(logits_NV, -1, true));
  return sum(add(top, log(sum(exp(sub(logits_NV, top)), -1, true))), -1);
};

/** [R]: the value of the only step of each row, from [R, 2]. */
export const stepValue = (values_R2: Expr): Expr =>
  reshape(slice(values_R2, 1, 1, 2), [values_R2.type.shape[0]]);

/** [R, T]: each token's logit, where logits are values of tokens or actions. */
export const tokenLogit = (learner: ModelGraphView, tokens_RT: Expr): Expr =>
  add(learner.logp(tokens_RT), learner.ofLogits(tokens_RT, logSumExp));
