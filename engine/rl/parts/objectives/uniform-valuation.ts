import {
  type Expr,
  add,
  concat,
  full,
  mul,
  scalar,
  slice,
  square,
  stopGradient,
  sub,
} from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';
import { followed } from '../math/places.ts';

/** Entry t + 1 at t. */
const ahead = (values_RT: Expr): Expr => {
  const [R, T] = values_RT.type.shape;
  return concat([slice(values_RT, 1, 1, T), full(0, [R, 1])], 1);
};

/**
 * Valuation of the uniform policy (arXiv:2509.24981, algorithm 1): regresses Q = ρ·log π/π_old of each token
 * on the answer's centred reward + the mean over the vocabulary of Q at the next position, held fixed; after
 * the last token it is 0. Sampling from softmax(Q/ρ) is the policy itself.
 */
export const uniformValuation = ({ rho }: { readonly rho: number }) =>
  objective({
    id: `uniformValuation(${rho})`,
    needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'mean-logp/policy', 'advantage'],
    prepare: ({ mask, weight }, limits) => ({
      weights: averagingWeights(mask, weight, 'token', limits),
      next: followed(mask),
    }),
    loss: ({ tokens, behaviorLogp, advantage, 'mean-logp/policy': meanLogp, weights, next }, learner) => {
      const value = mul(scalar(rho), sub(learner.logp(tokens), behaviorLogp));
      const later = mul(next, ahead(mul(scalar(rho), sub(learner.meanLogp(tokens), meanLogp))));
      const target = stopGradient(add(advantage, later));
      return {
        loss: weightedSum(weights, square(sub(value, target))),
        metrics: {
          'value/error': weightedSum(weights, square(sub(value, target))),
          entropy: weightedSum(weights, stopGradient(learner.entropy(tokens))),
        },
      };
    },
  });
