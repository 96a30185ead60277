import * as remedy from '../../kernel/remedies.ts';
import { change } from '../../kernel/curve.ts';
import { percent, quantity, short, type Rule } from '../../kernel/rule.ts';

/** Factor by which lengths must change, in standard errors at least, and gain of verdicts that explains it. */
const factor = 1.5;
const errors = 4;
const gain = 0.03;

/** Answers become much longer or shorter without becoming better. */
export const lengthDrift: Rule = {
  id: 'length-drift',
  title: 'Length drifts',
  summary: 'Answers become much longer or shorter, and the share of right ones does not rise.',
  source: 'Liu et al. 2025, understanding R1-Zero-like training: length without reward (arXiv:2503.20783)',
  reads: ['completions/mean_length', 'reward/verifier'],
  find(evidence) {
    const curve = evidence.curve('completions/mean_length');
    const { first, last } = curve;
    if (!first || !last || !(first.mean > 0)) return null;
    const ratio = last.mean / first.mean;
    if (!(ratio > factor || ratio < 1 / factor) || !(Math.abs(change(first, last)) > errors)) return null;
    const right = evidence.curve('reward/verifier');
    const gained = right.first && right.last ? right.last.mean - right.first.mean : 0;
    if (gained > gain) return null;
    const bound = ratio > 1 ? factor * first.mean : first.mean / factor;
    const verdicts = right.isLong
      ? `while the share of right ones ${gained < 0 ? 'fell' : 'rose'} by ${percent(Math.abs(gained))}`
      : 'without a verifier to judge them';
    return {
      severity: 'warning',
      text:
        `Answers went from ${short(first.mean)} to ${short(last.mean)} tokens ${verdicts}: length itself is ` +
        'rewarded, or nothing stops it.',
      observed: quantity('answer length at the end', last.mean, `${short(last.mean)} tokens`),
      expected: quantity('answer length at the start', first.mean, `${short(first.mean)} tokens`),
      step: curve.since((value) => (ratio > 1 ? value > bound : value < bound)),
      lastStep: last.to,
      metric: 'completions/mean_length',
      answers: { purpose: 'train', step: null, promptId: null },
      remedies: [
        ...remedy.klWeight(evidence, 5),
        ...remedy.param(evidence, 'average', 'constant', 'Average losses over a constant length'),
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
