/** What a network learns of bonuses for exploring. */
import { mul, scalar, square, sub } from '../../../tensor/index.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';

/** Regression of the values of bonuses on their returns: ½ · mean (V − R)². */
export const bonusValues = objective({
  id: 'bonusValues',
  needs: ['tokens', 'mask', 'weight', 'credit/bonusReturns'],
  prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, weights, 'credit/bonusReturns': returns }, learner) => {
    const error = weightedSum(weights, square(sub(learner.bonus(tokens).values(), returns)));
    return { loss: mul(error, scalar(0.5)), metrics: { 'bonus/error': error } };
  },
});

/** A network learns to predict the features of the initial one after each step: mean squared error. */
export const predictorError = objective({
  id: 'predictorError',
  needs: ['tokens', 'mask', 'weight'],
  models: ['initial'],
  prepare: ({ mask, weight }, limits) => ({ weights: averagingWeights(mask, weight, 'token', limits) }),
  loss: ({ tokens, weights }, learner) => {
    const error = weightedSum(weights, learner.bonus(tokens).surprise('initial'));
    return { loss: error, metrics: { 'predictor/error': error } };
  },
});
