import * as remedy from '../../kernel/remedies.ts';
import { quantity, type Rule } from '../../kernel/rule.ts';

/** NaN or infinity in a training metric: the parameters, or the updates made from them, are lost. */
export const notFinite: Rule = {
  id: 'not-finite',
  title: 'Loss or gradient not finite',
  summary: 'A training metric became NaN or infinite.',
  source: '',
  reads: ['*'],
  find(evidence) {
    // an evaluation's measure may be undefined, say an AUC without wrong answers
    const names = evidence.metrics.filter((name) => !name.startsWith('eval/') && !name.includes('auc'));
    const curves = names.map((name) => evidence.curve(name)).filter(({ notFinite: bad }) => bad.length > 0);
    if (curves.length === 0) return null;
    const [worst] = curves.sort((a, b) => a.notFinite[0].step - b.notFinite[0].step);
    const [{ step, value }] = worst.notFinite;
    const count = worst.notFinite.length;
    return {
      severity: 'severe',
      text:
        `${worst.name} was ${value} first at step ${step}, and on ${count} recorded ` +
        `${count === 1 ? 'step' : 'steps'}. Lower the learning rate, or resume from an earlier checkpoint.`,
      observed: quantity(`first non-finite ${worst.name}`, value, `${value} at step ${step}`),
      expected: quantity('finite values', 0, 'finite on every step'),
      step,
      lastStep: worst.notFinite[count - 1].step,
      metric: worst.name,
      remedies: [remedy.learningRate(evidence, 0.1)],
    };
  },
};
