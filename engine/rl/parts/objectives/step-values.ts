/** Critics of steps: of a step's worth, and of what it contributes to the reward. */
import { add, square, sub, sum as total, mul } from '../../../tensor/index.ts';
import type { PerToken } from '../../kernel/columns.ts';
import { objective } from '../../kernel/objective.ts';
import { averagingWeights } from '../math/averages.ts';
import { weightedSum } from '../math/expressions.ts';
import { stepPlaces } from '../math/steps.ts';

/** 1 at one end of each step of the trained tokens. */
const marks = (
  mask: PerToken<Uint8Array>,
  stepEnd: PerToken<Uint8Array>,
  end: 'first' | 'last',
): PerToken<Uint8Array> => {
  const values = new Uint8Array(mask.values.length);
  for (const step of stepPlaces(mask, stepEnd).flat()) values[step[end]] = 1;
  return { axis: 'T', values, offsets: mask.offsets };
};

/**
 * A critic of turns: its output after a turn regresses on Q's target, its output before the turn on V's
 * (`turnTargets`): mean (Q − target)² + mean (V − target)², every turn of the batch weighted equally
 * (arXiv:2402.19446, eq. 2 and 3).
 */
export const turnValueError = objective({
  id: 'turnValueError',
  needs: ['tokens', 'mask', 'weight', 'stepEnd', 'credit/action', 'credit/state'],
  prepare: ({ mask, weight, stepEnd }, limits) => ({
    begins: averagingWeights(marks(mask, stepEnd, 'first'), weight, 'token', limits),
    ends: averagingWeights(marks(mask, stepEnd, 'last'), weight, 'token', limits),
  }),
  loss: ({ tokens, begins, ends, 'credit/action': action, 'credit/state': state }, learner) => {
    const q = weightedSum(ends, square(sub(learner.verdicts(tokens), action)));
    const v = weightedSum(begins, square(sub(learner.values(tokens), state)));
    return { loss: add(q, v), metrics: { 'value/error': v, 'value/action_error': q } };
  },
});

/**
 * An estimator of progress: the sum of its outputs at the ends of an answer's steps regresses on the answer's
 * reward: mean over answers of (Σ c − R)² (SPA-RL, arXiv:2505.20732, eq. 4).
 */
export const contributionError = objective({
  id: 'contributionError',
  needs: ['tokens', 'mask', 'weight', 'stepEnd', 'reward/total'],
  prepare: ({ mask, weight, stepEnd }) => {
    const rows = Math.max(
      weight.reduce((a, b) => a + b, 0),
      Number.MIN_VALUE,
    );
    const { values } = marks(mask, stepEnd, 'last');
    return { share: weight.map((x) => x / rows), ends: { ...mask, values: Float64Array.from(values) } };
  },
  loss: ({ tokens, share, ends, 'reward/total': reward }, learner) => {
    const sums = total(mul(ends, learner.verdicts(tokens)), [1]);
    const error = weightedSum(share, square(sub(sums, reward)));
    return { loss: error, metrics: { 'value/error': error } };
  },
});
