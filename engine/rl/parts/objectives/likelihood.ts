import { neg } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { type Average, averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/** Negative log-likelihood of the trained tokens. */
export const likelihood = ({ average }: { readonly average: Average }) =>
  objective({
    id: `likelihood(${average})`,
    needs: ['tokens', 'mask', 'weight'],
    prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, average, limits) }),
    loss: ({ tokens, weights }, learner) => ({ loss: neg(weightedSum(weights, learner.logp(tokens))) }),
  });

/** Negative log-likelihood of one row of each unit: 0 the chosen answers, 2 the third ones of triples. */
export const likelihoodOf = ({
  side,
  unit = 2,
  average,
}: {
  readonly side: 0 | 2;
  readonly unit?: 2 | 3;
  readonly average: Average;
}) =>
  objective({
    id: `likelihoodOf(${side}, ${average})`,
    needs: ['tokens', 'mask', 'weight', 'pairId'],
    unit,
    prepare: ({ mask, weight }, limits) => ({
      weights: averagingWeights(
        mask,
        weight.map((value, r) => (r % unit === side ? value : 0)),
        average,
        limits,
      ),
    }),
    loss: ({ tokens, weights }, learner) => {
      const nll = neg(weightedSum(weights, learner.logp(tokens)));
      return { loss: nll, metrics: { nll } };
    },
  });
