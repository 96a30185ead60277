/** Expressions for objectives over pairs: rows in twos (or threes), the chosen answer first. */
import {
  add,
  greater,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  softplus,
  sub,
  type Expr,
} from '../../../tensor/index.ts';
import type { PerRow } from '../../kernel/columns.ts';
import { weightedSum, indicator } from './expressions.ts';

/** [R] → [R ÷ unit]: with rows in units of `unit`, the values of row number `side` of each unit. */
export const sideOf = (values_R: Expr, side: number, unit = 2): Expr => {
  const units = values_R.type.shape[0] / unit;
  return reshape(slice(reshape(values_R, [units, unit]), 1, side, side + 1), [units]);
};

/**
 * Per row, its unit's share of the batch; all rows of a unit carry the same. Rows of weight 0 do not count.
 */
export const pairWeights = (weight: PerRow, unit = 2): Float64Array => {
  const rows = Math.max(
    weight.reduce((a, b) => a + b, 0),
    Number.MIN_VALUE,
  );
  return weight.map((w) => (unit * w) / rows);
};

/**
 * Loss of a margin, pair by pair; `agreement` is the probability that the first answer is better, `reversed`
 * the margin if it were the other one (−margin by default).
 */
export type PairLoss = (margin: Expr, agreement: Expr, reversed?: Expr) => Expr;

/** A loss of the margin, weighted by the probability of each side. */
const eitherWay =
  (loss: (margin: Expr) => Expr): PairLoss =>
  (margin, agreement, reversed = neg(margin)) =>
    add(mul(agreement, loss(margin)), mul(sub(scalar(1), agreement), loss(reversed)));

/**
 * −log σ(m − target). `labelSmoothing` is the assumed share ε of flipped labels: −(1 − ε)·log p − ε·log(1 −
 * p), where p = σ(m − target) is the probability, target margin included, that the chosen answer is
 * preferred. So the loss is the cross-entropy of one model whose two probabilities sum to 1, and is least at
 * m = target + log((1 − ε) ⁄ ε): the trainer of SimPO's authors (arXiv:2405.14734,
 * `SimPOTrainer.simpo_loss`) and TRL's `CPOTrainer` compute it. Applying the target to the flipped side as
 * well, −ε·log σ(−m − target), would be the margin loss of swapped labels; its probabilities do not sum to
 * 1, and nothing published trains with it. A tie is not a flipped label: its order is arbitrary, so each
 * side aims at the target with half the weight.
 */
export const logisticLoss = ({
  target = 0,
  labelSmoothing = 0,
}: { readonly target?: number; readonly labelSmoothing?: number } = {}): PairLoss =>
  eitherWay((margin) => {
    const short = sub(scalar(target), margin);
    const preferred = softplus(short);
    return labelSmoothing === 0
      ? preferred
      : add(mul(scalar(1 - labelSmoothing), preferred), mul(scalar(labelSmoothing), softplus(neg(short))));
  });

/** max(0, target − m). */
export const hingeLoss = ({ target = 1 }: { readonly target?: number } = {}): PairLoss =>
  eitherWay((m) => {
    const short = sub(scalar(target), m);
    return mul(short, indicator(greater(short, scalar(0))));
  });

/** (m − target)²: least squares on the margin; pairs of agreement ½ aim at 0. */
export const squaredLoss =
  ({ target }: { readonly target: number }): PairLoss =>
  (margin, agreement) => {
    const off = sub(margin, mul(sub(mul(agreement, scalar(2)), scalar(1)), scalar(target)));
    return mul(off, off);
  };

/** Margin losses by name: as in DPO, as in SLiC, or as in IPO where β is its τ. */
export const pairLosses = {
  logistic: logisticLoss(),
  hinge: hingeLoss(),
  squared: squaredLoss({ target: 0.5 }),
} as const;

/**
 * The weighted loss of the margins between the two sides of each unit, and its metrics. The rejected side is
 * weighted by `pessimism`.
 */
export const comparison = (
  chosen: Expr,
  rejected: Expr,
  {
    loss,
    agreement,
    weights,
    pessimism = 1,
  }: {
    readonly loss: PairLoss;
    readonly agreement: Expr;
    readonly weights: Expr;
    readonly pessimism?: number;
  },
) => {
  const less = (side: Expr) => (pessimism === 1 ? side : mul(side, scalar(pessimism)));
  const margin = sub(chosen, less(rejected));
  return {
    loss: weightedSum(
      weights,
      loss(margin, agreement, pessimism === 1 ? undefined : sub(rejected, less(chosen))),
    ),
    metrics: {
      'rewards/margins': weightedSum(weights, margin),
      'rewards/accuracies': weightedSum(weights, indicator(greater(margin, scalar(0)))),
      'rewards/chosen': weightedSum(weights, chosen),
      'rewards/rejected': weightedSum(weights, rejected),
    },
  };
};
