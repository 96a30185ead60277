import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Deviations between batches, and share of its beginning, by which a loss must have risen. */
const deviations = 3;
const share = 0.1;

/** A training loss that is a likelihood rises: training diverges. */
export const lossRises: Rule = {
  id: 'loss-rises',
  title: 'Training diverges',
  summary:
    'The negative log-likelihood of the training data, or a loss of pairs, is higher than at the start.',
  source: '',
  reads: ['nll', 'loss', 'reward/mean', 'entropy'],
  find(evidence) {
    const curve = evidence.trainingLoss;
    const { name } = curve;
    const { last, points } = curve;
    if (!last) return null;
    // the first batch is read before any update, which may be the one that does the damage
    const [first] = points;
    const spread = last.error * Math.sqrt(last.n);
    if (!(last.mean > first.value + Math.max(deviations * spread, share * Math.abs(first.value))))
      return null;
    return {
      severity: 'severe',
      text:
        `The training loss rose from ${short(first.value)} at step ${first.step} to ${short(last.mean)} at the ` +
        'end: updates are too large for this model.',
      observed: quantity(`${name} at the end`, last.mean, short(last.mean)),
      expected: quantity(`${name} at the start`, first.value, `at most ${short(first.value)}`),
      step: curve.since((value) => value > (1 + share) * first.value),
      lastStep: last.to,
      metric: name,
      remedies: [
        remedy.learningRate(evidence, 0.1),
        remedy.change('Warm up over 20 updates', 'optimizer.warmup', 20),
      ],
    };
  },
};
