import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Rule } from '../../kernel/rule.ts';

/** A policy solves fewer held-out problems than before, with no proxy to blame. */
export const heldOutFalls: Rule = {
  id: 'held-out-falls',
  title: 'Held-out pass@1 falls',
  summary: 'The policy solves fewer held-out problems than at the start or at an earlier step.',
  source: '',
  reads: ['reward/mean'],
  find(evidence) {
    const own = evidence.evaluations;
    const last = own.at(-1);
    const earlier = [...(evidence.start ? [{ ...evidence.start, step: 0 }] : []), ...own.slice(0, -1)];
    if (!last || earlier.length === 0) return null;
    const best = earlier.reduce((a, b) => (b.passAt1 > a.passAt1 ? b : a));
    if (!(last.passAt1Interval[1] < best.passAt1Interval[0])) return null;
    // with a proxy that rose, that is the better diagnosis
    const reward = evidence.curve('reward/mean');
    if (evidence.trainsOnProxy && reward.first && reward.last && reward.last.mean > reward.first.mean)
      return null;
    const at = best.step === 0 ? 'at the start' : `at step ${best.step}`;
    return {
      severity: 'severe',
      text:
        `Held-out pass@1 was ${percent(best.passAt1)} ${at} and is ${percent(last.passAt1)} at step ${last.step}, ` +
        'beyond both intervals.',
      observed: quantity('held-out pass@1', last.passAt1, percent(last.passAt1)),
      expected: quantity(`held-out pass@1 ${at}`, best.passAt1, `at least ${percent(best.passAt1)}`),
      step: best.step,
      lastStep: last.step,
      metric: 'eval/pass_at_1',
      answers: { purpose: 'evaluation', step: last.step, promptId: null },
      remedies: [
        remedy.learningRate(evidence, 0.3),
        ...remedy.klWeight(evidence, 5),
        ...(best.step > 0 ? [remedy.steps(best.step)] : []),
        remedy.watch(evidence),
      ],
    };
  },
};
