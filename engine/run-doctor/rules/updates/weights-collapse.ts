import { LEAST_EFFECTIVE } from '../../../common/least-effective.ts';
import type { RunRemedy } from '../../../schema/run-finding.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, rounded, short, type Evidence, type Rule } from '../../kernel/rule.ts';

const METRIC = 'replay/effective_sample_size';

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

interface Collapse {
  /** Effective sample size, as a share of the rows. */
  readonly share: number;
  readonly of: string;
  readonly step: number;
  readonly lastStep: number;
}

/** The whole buffer by its weights: a heavy row counts, whether the newest batches drew it or not. */
const ofBuffer = ({ replayed }: Evidence): Collapse | null => {
  const last = replayed.at(-1);
  if (!last || !(last.value.effective < LEAST_EFFECTIVE)) return null;
  const from = replayed.findLastIndex(({ value }) => !(value.effective < LEAST_EFFECTIVE)) + 1;
  return {
    share: last.value.effective,
    of: 'the buffer’s rows',
    step: replayed[from].step,
    lastStep: last.step,
  };
};

/** The rows that batches drew, by their importance. */
const ofBatches = (evidence: Evidence): Collapse | null => {
  const sizes = evidence.curve(METRIC);
  const { last } = sizes;
  if (!last || !(last.mean < LEAST_EFFECTIVE)) return null;
  const step = sizes.since((value) => value < LEAST_EFFECTIVE);
  return { share: last.mean, of: 'the replayed rows', step, lastStep: last.to };
};

/** Nearly all of what is learned from replayed rows comes from a few of them. */
export const weightsCollapse: Rule = {
  id: 'weights-collapse',
  title: 'A few replayed rows have all the weight',
  summary: 'The effective sample size of replayed rows by their weights is a small share of their number.',
  source: 'Kish 1965: (Σw)² ⁄ Σw² rows without weights vary as much',
  reads: [METRIC, 'replay/age', 'replay/heaviest'],
  find(evidence) {
    const found = ofBuffer(evidence) ?? ofBatches(evidence);
    if (!found) return null;
    const { share, of, step, lastStep } = found;
    const age = evidence.curve('replay/age').last;
    const heaviest = evidence.curve('replay/heaviest').last;
    return {
      severity: 'warning',
      text:
        `The weights of ${of} came down to an effective sample of ${percent(share)} of them` +
        `${heaviest ? `; one row had ${percent(heaviest.mean)} of a batch’s weight` : ''}` +
        `${age ? `; drawn rows were ${short(age.mean)} batches old on average` : ''}.`,
      observed: quantity('effective sample size', share, `${percent(share)} of ${of}`),
      expected: quantity('effective sample size', LEAST_EFFECTIVE, `at least ${percent(LEAST_EFFECTIVE)}`),
      step,
      lastStep,
      metric: evidence.curve(METRIC).isLong ? METRIC : null,
      remedies: softer(evidence),
    };
  },
};
