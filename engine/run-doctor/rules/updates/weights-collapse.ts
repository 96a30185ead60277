import { LEAST_EFFECTIVE } from '../../../common/least-effective.ts';
import type { RunRemedy } from '../../../schema/run-finding.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, rounded, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** A higher temperature of the weights, and younger answers, where the method has them. */
const softer = (evidence: Evidence): RunRemedy[] => {
  const [beta, maxAge] = [evidence.param('beta'), evidence.param('maxAge')];
  return [
    ...(beta !== null && beta < 100
      ? remedy.param(
          evidence,
          'beta',
          Math.min(100, rounded(3 * beta)),
          `Temperature of the weights ${short(Math.min(100, rounded(3 * beta)))}`,
        )
      : []),
    ...(maxAge !== null && maxAge > 1
      ? remedy.param(
          evidence,
          'maxAge',
          Math.floor(maxAge / 2),
          `Answers of the last ${Math.floor(maxAge / 2)} batches alone`,
        )
      : []),
    remedy.learningRate(evidence, 0.3),
  ];
};

/** Nearly all of what is learned from replayed rows comes from a few of them. */
export const weightsCollapse: Rule = {
  id: 'weights-collapse',
  title: 'A few replayed rows have all the weight',
  summary: 'The effective sample size of replayed rows by their weights is a small share of their number.',
  source: 'Kish 1965: (Σw)² ⁄ Σw² rows without weights vary as much',
  reads: ['replay/effective_sample_size', 'replay/age', 'replay/heaviest'],
  find(evidence) {
    const sizes = evidence.curve('replay/effective_sample_size');
    const { last } = sizes;
    if (!last || !(last.mean < LEAST_EFFECTIVE)) return null;
    const age = evidence.curve('replay/age').last;
    const heaviest = evidence.curve('replay/heaviest').last;
    return {
      severity: 'warning',
      text:
        `The weights of replayed rows came down to an effective sample of ${percent(last.mean)} of them` +
        `${heaviest ? `, and one row had ${percent(heaviest.mean)} of the weight` : ''}` +
        `${age ? `; rows were ${short(age.mean)} batches old on average` : ''}.`,
      observed: quantity('effective sample size', last.mean, `${percent(last.mean)} of the replayed rows`),
      expected: quantity('effective sample size', LEAST_EFFECTIVE, `at least ${percent(LEAST_EFFECTIVE)}`),
      step: sizes.since((value) => value < LEAST_EFFECTIVE),
      lastStep: last.to,
      metric: 'replay/effective_sample_size',
      remedies: softer(evidence),
    };
  },
};
