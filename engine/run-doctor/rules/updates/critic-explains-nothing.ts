import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Rule } from '../../kernel/rule.ts';

/** The critic's values predict returns no better than their mean: advantages are noise. */
export const criticExplainsNothing: Rule = {
  id: 'critic-explains-nothing',
  title: 'The critic explains nothing',
  summary: 'The error of the value estimates is as large as the variance of the rewards.',
  source: 'Explained variance 1 − E[(V − R)²] / Var R (Huang et al. 2022, 37 implementation details of PPO)',
  reads: ['value/error', 'critic/value/error', 'reward/std'],
  find(evidence) {
    const own = evidence.curve('critic/value/error');
    const curve = own.isLong ? own : evidence.curve('value/error');
    const { first, last: deviation } = evidence.curve('reward/std');
    const { last } = curve;
    // once rewards hardly vary any more, there is little left to explain
    if (!last || !first || !deviation || !(deviation.mean > Math.max(1e-6, first.mean / 2))) return null;
    const variance = deviation.mean ** 2;
    const explained = 1 - last.mean / variance;
    if (!(explained < 0)) return null;
    return {
      severity: 'warning',
      text:
        `The critic's squared error is ${short(last.mean)}, and the rewards' variance ${short(variance)}: ` +
        `it explains ${percent(explained)} of it, less than their mean would.`,
      observed: quantity('explained variance', explained, percent(explained)),
      expected: quantity('explained variance', 0, 'above 0 %'),
      step: curve.since((value) => value > variance),
      lastStep: last.to,
      metric: curve.name,
      remedies: [
        ...remedy.param(evidence, 'valueClip', 1, 'Let values move by 1 in a batch'),
        ...remedy.param(evidence, 'epochs', 4, 'Four updates on each batch'),
        remedy.learningRate(evidence, 3),
      ],
    };
  },
};
