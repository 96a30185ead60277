import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Total movement of a weight below which a model of usual scale (weights around 0.02) computes the same. */
const least = 1e-5;

/**
 * The farthest that any weight can have moved: Adam, Lion and Muon move a weight by at most about the
 * learning rate in each update, so Σ α_t bounds it; gradient descent by α_t times the (clipped) gradient
 * norm, over the momentum's 1 − β.
 */
export const movement = (evidence: Evidence): number => {
  const { kind, clipNorm, beta1 } = evidence.spec.optimizer;
  const rates = evidence.curve('learning_rate').points;
  // a curve that was reduced to fewer points has several steps for each
  const perPoint = rates.length > 1 ? (rates[rates.length - 1].step - rates[0].step) / (rates.length - 1) : 1;
  const norm = kind === 'sgd' ? Math.min(clipNorm, evidence.curve('grad_norm').quantile(1)) / (1 - beta1) : 1;
  return norm * Math.max(1, perPoint) * rates.reduce((sum, { value }) => sum + value, 0);
};

/** Updates too small to change what the model does. */
export const learningRateTooSmall: Rule = {
  id: 'learning-rate-too-small',
  title: 'Updates do nothing',
  summary: 'The learning rates of all steps together cannot move a weight noticeably.',
  source: 'Kingma and Ba 2015, section 2.1: an update of Adam moves a weight by at most about its step size',
  reads: ['learning_rate', 'grad_norm'],
  find(evidence) {
    const { points, isLong } = evidence.curve('learning_rate');
    if (!isLong) return null;
    const moved = movement(evidence);
    if (!(moved < least)) return null;
    const rate = evidence.spec.optimizer.learningRate;
    const to = points[points.length - 1].step;
    return {
      severity: 'severe',
      text:
        `With a learning rate of ${short(rate)} no weight can have moved by more than ${short(moved)} in ` +
        `${points.length} updates: the model at step ${to} is the one that it began from.`,
      observed: quantity('largest possible movement of a weight', moved, short(moved)),
      expected: quantity('least movement that matters', least, `at least ${short(least)}`),
      step: points[0].step,
      lastStep: to,
      metric: 'learning_rate',
      remedies: [remedy.usualRate(5e-4)],
    };
  },
};
