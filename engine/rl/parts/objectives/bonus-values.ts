/** Losses of the value of exploration bonuses, and of a predictor of random features. */
import { mul, scalar, square, sub } from '../../../tensor/index.ts';
import { objective, sum, weighted } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';
import { entropyBonus } from '../regularizers/entropy-bonus.ts';
import { clippedValue } from './critics.ts';
import { clippedSurrogate } from './policy-gradient.ts';

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

/** The loss of PPO with a second value, that of bonuses; values move in a batch as far as ratios may. */
export const exploringLoss = (p: {
  readonly clip: number;
  readonly valueWeight: number;
  readonly entropyWeight: number;
}) =>
  sum(
    clippedSurrogate({ clipLow: p.clip, clipHigh: p.clip, average: 'token' }),
    weighted(p.valueWeight, sum(clippedValue({ clip: p.clip }), bonusValues)),
    weighted(p.entropyWeight, entropyBonus),
  );
