import { change } from '../../kernel/curve.ts';
import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Standard errors, and share of its beginning, by which a loss must have risen. */
const errors = 4;
const share = 0.1;

/** A training loss that is a likelihood rises: training diverges. */
export const lossRises: Rule = {
  id: 'loss-rises',
  title: 'Training diverges',
  summary:
    'The negative log-likelihood of the training data, or a loss of pairs, is higher than at the start.',
  source: '',
  reads: ['nll', 'loss', 'rewards/margins', 'entropy'],
  find(evidence) {
    // the loss of a policy gradient has no meaning of its own; that of pairs has
    const isPairs = evidence.curve('rewards/margins').isLong && !evidence.curve('entropy').isLong;
    const name = isPairs ? 'loss' : 'nll';
    const curve = evidence.curve(name);
    const { first, last } = curve;
    if (!first || !last || !(change(first, last) > errors)) return null;
    if (!(last.mean > first.mean + share * Math.abs(first.mean))) return null;
    return {
      severity: 'severe',
      text:
        `The training loss rose from ${short(first.mean)} (steps ${first.from} to ${first.to}) to ` +
        `${short(last.mean)} at the end: updates are too large for this model.`,
      observed: quantity(`${name} at the end`, last.mean, short(last.mean)),
      expected: quantity(`${name} at the start`, first.mean, `at most ${short(first.mean)}`),
      step: curve.since((value) => value > first.mean),
      lastStep: last.to,
      metric: name,
      remedies: [
        remedy.learningRate(evidence, 0.1),
        remedy.change('Warm up over 20 updates', 'optimizer.warmup', 20),
      ],
    };
  },
};
