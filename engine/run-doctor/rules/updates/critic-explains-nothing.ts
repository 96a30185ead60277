import type { Quantity } from '../../../schema/run-finding.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, rounded, short, type Rule } from '../../kernel/rule.ts';

/** Updates below which a critic has hardly begun to learn. */
const FEW_UPDATES = 50;

/** An error in units of the variance of rewards; in multiples where explained variance is below −100 %. */
const told = (
  ratio: number,
): { readonly words: string; readonly observed: Quantity; readonly expected: Quantity } => {
  if (ratio <= 2)
    return {
      words: `it explains ${percent(1 - ratio)} of it, less than their mean would`,
      observed: quantity('explained variance', 1 - ratio, percent(1 - ratio)),
      expected: quantity('explained variance', 0, 'above 0 %'),
    };
  const times = short(rounded(ratio));
  return {
    words: `its error is ${times} times the variance, which is the error of their mean`,
    observed: quantity('squared error', ratio, `${times} times the variance of rewards`),
    expected: quantity('squared error', 1, 'less than the variance'),
  };
};

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
    if (!(last.mean > variance)) return null;
    const { words, observed, expected } = told(last.mean / variance);
    const isNew = last.to < FEW_UPDATES;
    return {
      severity: 'warning',
      text:
        `The critic's squared error is ${short(last.mean)}, and the rewards' variance ${short(variance)}: ${words}.` +
        (isNew ? ` After ${last.to} steps it has only just begun to learn; a longer run may be enough.` : ''),
      observed,
      expected,
      step: curve.since((value) => value > variance),
      lastStep: last.to,
      metric: curve.name,
      remedies: [
        ...(isNew && evidence.spec.budget.steps < FEW_UPDATES ? [remedy.steps(10 * FEW_UPDATES)] : []),
        ...remedy.param(evidence, 'valueClip', 1, 'Let values move by 1 in a batch'),
        ...remedy.param(evidence, 'epochs', 4, 'Four updates on each batch'),
        remedy.learningRate(evidence, 3),
      ],
    };
  },
};
