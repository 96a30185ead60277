/** Reward models trained on pairs: Bradley and Terry’s, with a margin, with ties. */
import { add, exp, greater, log, mul, neg, scalar, sub, type Expr } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { binaryCrossEntropy, indicator, weightedSum } from '../math/expressions.ts';
import { comparison, logisticLoss, pairWeights, sideOf } from '../math/pair-losses.ts';

/** For rows in twos, the value of the first (chosen) one minus that of the second. */
export const margins = (values_R: Expr): Expr => sub(sideOf(values_R, 0), sideOf(values_R, 1));

export const shown = (w: Expr, margin: Expr) => ({
  'rewards/margins': weightedSum(w, margin),
  'rewards/accuracies': weightedSum(w, indicator(greater(margin, scalar(0)))),
});

/**
 * Reward model on comparisons: −log σ(r_chosen − r_rejected); a tie counts half for each side (Bradley &
 * Terry 1952; arXiv:2203.02155, eq. 1).
 */
export const bradleyTerry = objective({
  id: 'bradleyTerry',
  needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight'],
  unit: 2,
  prepare: ({ weight, agreement }) => ({ weights: pairWeights(weight), agreement }),
  loss: ({ tokens, weights, agreement }, learner) => {
    const score_R = learner.score(tokens);
    return comparison(sideOf(score_R, 0), sideOf(score_R, 1), {
      loss: logisticLoss(),
      agreement: sideOf(agreement, 0),
      weights: sideOf(weights, 0),
    });
  },
});

/** Strength of “much better”, which has the whole margin. */
const STRONGEST = 3;

/**
 * −log σ(Δ − m): the scores of a decided pair must differ by more than m; a tie has no margin and counts
 * half for each side (arXiv:2307.09288, eq. 2). `byStrength`: a pair that is slightly, plainly or much better
 * has ⅓, ⅔ or all of the margin (table 27, “margin small”: 0, ⅓, ⅔, 1 from negligibly to significantly).
 */
export const marginEntropy = ({
  margin,
  byStrength = false,
}: {
  readonly margin: number;
  readonly byStrength?: boolean;
}) =>
  objective({
    id: `marginEntropy(${margin}${byStrength ? ', by strength' : ''})`,
    needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight', 'row/strength'],
    unit: 2,
    prepare: ({ weight, agreement, 'row/strength': strength }) => ({
      weights: pairWeights(weight),
      agreement,
      gap: agreement.map(
        (a, r) => margin * Math.max(0, 2 * a - 1) * (byStrength ? strength[r] / STRONGEST : 1),
      ),
    }),
    loss: ({ tokens, weights, agreement, gap }, learner) => {
      const margin = margins(learner.score(tokens));
      const short = sub(margin, sideOf(gap, 0));
      const pairShare = sideOf(weights, 0);
      return {
        loss: weightedSum(pairShare, binaryCrossEntropy(sideOf(agreement, 0), short)),
        metrics: shown(pairShare, margin),
      };
    },
  });

/**
 * Bradley–Terry with ties (Davidson 1970, the model with one parameter for ties), strengths exp(score),
 * margin m: P(first) = e^{m⁄2} ⁄ (e^{m⁄2} + e^{−m⁄2} + ν), P(tie) = ν ⁄ the same. The loss is the negative
 * log-likelihood, log ν of ties included.
 */
export const davidson = objective({
  id: 'davidson',
  needs: ['tokens', 'pairId', 'chosen', 'agreement', 'weight', 'row/nu'],
  unit: 2,
  prepare: ({ weight, agreement, 'row/nu': nu }) => ({
    weights: pairWeights(weight),
    decided: agreement.map((a) => Number(a !== 0.5)),
    nu,
    constant: agreement.map((a, r) => (a === 0.5 ? Math.log(Math.max(nu[r], 1e-12)) : 0)),
  }),
  loss: ({ tokens, weights, decided, nu, constant }, learner) => {
    const margin = margins(learner.score(tokens));
    const half = mul(margin, scalar(0.5));
    const pairShare = sideOf(weights, 0);
    // safe for |m| below 170, where e^h overflows
    const whole = log(add(add(exp(half), exp(neg(half))), sideOf(nu, 0)));
    return {
      loss: weightedSum(pairShare, sub(sub(whole, mul(sideOf(decided, 0), half)), sideOf(constant, 0))),
      metrics: { ...shown(pairShare, margin), 'rewards/nu': weightedSum(pairShare, sideOf(nu, 0)) },
    };
  },
});
