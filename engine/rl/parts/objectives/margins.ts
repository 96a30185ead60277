import { type Expr, add, log, minimum, mul, scalar, sub, tanh } from '../../../tensor/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { maskedCounts } from '../../kernel/rows.ts';
import { answerLogp } from '../math/expressions.ts';
import { type PairLoss, comparison, logisticLoss, pairWeights, sideOf } from '../math/pair-losses.ts';

/** Token weights of an answer's score: all tokens equally, their mean, or γ^t at position t in the answer. */
export interface Measure {
  readonly average?: 'sum' | 'mean';
  readonly discount?: number;
}

const answerWeights = (
  mask_RT: PerToken<Uint8Array>,
  { average = 'sum', discount = 1 }: Measure,
): PerToken => {
  const counts = maskedCounts(mask_RT);
  const values = new Float32Array(mask_RT.values.length);
  for (let r = 0; r < counts.length; r++) {
    let weight = average === 'mean' ? 1 / counts[r] : 1;
    for (let t = mask_RT.offsets[r]; t < mask_RT.offsets[r + 1]; t++) {
      if (!mask_RT.values[t]) continue;
      values[t] = weight;
      weight *= discount;
    }
  }
  return { ...mask_RT, values };
};

const weighedSums = (weights_RT: PerToken, values_RT: PerToken): Float64Array =>
  Float64Array.from({ length: weights_RT.offsets.length - 1 }, (_, r) => {
    let sum = 0;
    for (let t = weights_RT.offsets[r]; t < weights_RT.offsets[r + 1]; t++)
      sum += weights_RT.values[t] * values_RT.values[t];
    return sum;
  });

interface Units {
  readonly beta?: number;
  readonly loss: PairLoss;
  /** Rows of a unit; the first two are compared. */ readonly unit?: 2 | 3;
}

/**
 * A loss of the margin β × (log-ratio to the initial policy of the chosen answer − that of the rejected one).
 */
export const ratioMargin = ({ beta = 1, loss, unit = 2, ...measure }: Units & Measure) =>
  objective({
    id: `ratioMargin(${beta}, ${measure.average ?? 'sum'})`,
    needs: ['tokens', 'mask', 'pairId', 'chosen', 'agreement', 'weight', 'logp/initial'],
    unit,
    prepare: ({ mask, weight, agreement, 'logp/initial': reference }) => {
      const answer = answerWeights(mask, measure);
      return {
        weights: pairWeights(weight, unit),
        agreement,
        answer,
        before: weighedSums(answer, reference),
      };
    },
    loss: ({ tokens, answer, before, weights, agreement }, learner) => {
      const reward_R = mul(scalar(beta), sub(answerLogp(learner, tokens, answer), before));
      return comparison(sideOf(reward_R, 0, unit), sideOf(reward_R, 1, unit), {
        loss,
        agreement: sideOf(agreement, 0, unit),
        weights: sideOf(weights, 0, unit),
      });
    },
  });

/**
 * Log-odds of an answer's tokens, in nats, from its mean log-probability: log p − log(1 − p)
 * (arXiv:2403.07691, eq. 4).
 */
export const logOdds = (mean_R: Expr): Expr => {
  // 1 − e^ℓ = 2t ⁄ (1 + t) with t = tanh(−ℓ ⁄ 2) is exact near ℓ = 0, where padding is too
  const capped = minimum(mean_R, scalar(-1e-6));
  const t = tanh(mul(capped, scalar(-0.5)));
  return sub(add(capped, log(add(t, scalar(1)))), log(mul(t, scalar(2))));
};

/**
 * A loss of a reference-free margin: β × (score of the chosen answer − `pessimism` × score of the rejected
 * one), from log-probabilities alone.
 */
export const plainMargin = ({
  beta = 1,
  loss,
  unit = 2,
  pessimism = 1,
  score = (value: Expr) => value,
  ...measure
}: Units &
  Measure & {
    readonly pessimism?: number;
    readonly score?: (value_R: Expr) => Expr;
  }) =>
  objective({
    id: `plainMargin(${beta}, ${measure.average ?? 'sum'})`,
    needs: ['tokens', 'mask', 'pairId', 'chosen', 'agreement', 'weight'],
    unit,
    prepare: ({ mask, weight, agreement }) => ({
      weights: pairWeights(weight, unit),
      agreement,
      answer: answerWeights(mask, measure),
      before: new Float64Array(weight.length),
    }),
    loss: ({ tokens, answer, before, weights, agreement }, learner) => {
      const score_R = mul(scalar(beta), score(sub(answerLogp(learner, tokens, answer), before)));
      return comparison(sideOf(score_R, 0, unit), sideOf(score_R, 1, unit), {
        loss,
        agreement: sideOf(agreement, 0, unit),
        weights: sideOf(weights, 0, unit),
        pessimism,
      });
    },
  });

/**
 * Direct preference optimization: logistic regression on β × the difference of log-ratios (arXiv:2305.18290,
 * eq. 7). `smoothing` is the assumed share of flipped labels (cDPO: Mitchell 2023, “A note on DPO with noisy
 * preferences and relationship to IPO”).
 */
export const logisticMargin = ({
  beta,
  labelSmoothing = 0,
}: {
  readonly beta: number;
  readonly labelSmoothing?: number;
}) => ratioMargin({ beta, loss: logisticLoss({ labelSmoothing }) });
