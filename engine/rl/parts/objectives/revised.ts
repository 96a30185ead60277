/** Losses of answers that were written to other prompts than they are learned for. */
import { mul, neg, scalar, sigmoid, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { broadcast } from '../../kernel/rows.ts';
import { estimators, type Estimator } from '../regularizers/kl-to-reference.ts';
import { type Average, averagingWeights } from '../math/averages.ts';
import { maskedDifference, weightedSum } from '../math/expressions.ts';

/**
 * −Σ w·A·f(π) with f(p) = p ⁄ (p + γ), neither clipped nor a ratio: its gradient is larger for tokens that
 * the policy finds unlikely than that of a ratio (arXiv:2506.03106, eq. 5; arXiv:2504.14945). f(p) = σ(log p
 * − log γ).
 */
export const shapedSurrogate = ({
  gamma,
  average = 'sequence',
}: {
  readonly gamma: number;
  readonly average?: Average;
}) =>
  objective({
    id: `shapedSurrogate(${gamma}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'credit/revised'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, average, limits) }),
    loss: ({ tokens, weights, 'credit/revised': credit }, learner) => {
      const shaped = sigmoid(sub(learner.logp(tokens), scalar(Math.log(gamma))));
      return { loss: neg(weightedSum(weights, mul(credit, shaped))) };
    },
  });

/** Negative log-likelihood of the rows to be imitated, each with its weight `row/imitate`. */
export const imitation = ({ average }: { readonly average: Average }) =>
  objective({
    id: `imitation(${average})`,
    needs: ['tokens', 'mask', 'row/imitate'],
    prepare: ({ mask, 'row/imitate': imitate }, limits) => ({
      weights: averagingWeights(mask, imitate, average, limits),
    }),
    loss: ({ tokens, weights }, learner) => {
      const nll = neg(weightedSum(weights, learner.logp(tokens)));
      return { loss: nll, metrics: { nll } };
    },
  });

/** Divergence from the initial policy, summed over each answer and weighted by its `row/divergence`. */
export const weighedDivergence = ({ estimator }: { readonly estimator: Estimator }) =>
  objective({
    id: `weighedDivergence(${estimator})`,
    needs: ['tokens', 'mask', 'weight', 'row/divergence', 'logp/initial'],
    prepare: ({ mask, weight, 'row/divergence': share }, limits) => {
      const rows = Math.max(
        weight.reduce((a, b) => a + b, 0),
        Number.MIN_VALUE,
      );
      return {
        tokenShare: averagingWeights(mask, weight, 'token', limits),
        weights: broadcast(
          weight.map((w, r) => (w * share[r]) / rows),
          mask,
        ),
      };
    },
    loss: ({ tokens, mask, weights, tokenShare, 'logp/initial': reference }, learner) => {
      const divergence = estimators[estimator](maskedDifference(mask, learner.logp(tokens), reference));
      return { loss: weightedSum(weights, divergence), metrics: { kl: weightedSum(tokenShare, divergence) } };
    },
  });
