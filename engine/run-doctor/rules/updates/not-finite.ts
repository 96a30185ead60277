import type { PolicyEvaluation } from '../../../schema/evaluation.ts';
import * as remedy from '../../kernel/remedies.ts';
import { quantity, type Evidence, type Found, type Rule } from '../../kernel/rule.ts';

/** NaN or infinity in a training metric: the parameters, or the updates made from them, are lost. */
export const notFinite: Rule = {
  id: 'not-finite',
  title: 'Loss or gradient not finite',
  summary: 'A training metric, or a measure of the newest evaluation, became NaN or infinite.',
  source: '',
  reads: ['*'],
  find: (evidence) => byTraining(evidence) ?? byEvaluation(evidence),
};

const byTraining = (evidence: Evidence): Found | null => {
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
};

const byEvaluation = (evidence: Evidence): Found | null => {
  const last = evidence.evaluations.at(-1);
  const worst = last && notFiniteMeasure(last);
  if (!worst) return null;
  const { step } = last;
  return {
    severity: 'severe',
    text:
      `${worst.name} was ${worst.value} in the evaluation at step ${step}. Lower the learning rate, or start from ` +
      'an earlier checkpoint.',
    observed: quantity(worst.name, worst.value, `${worst.value} at step ${step}`),
    expected: quantity('a finite value', 0, 'finite in every evaluation'),
    step,
    lastStep: step,
    answers: { purpose: 'evaluation', step, promptId: null },
    remedies: [remedy.learningRate(evidence, 0.1)],
  };
};

const notFiniteMeasure = ({ passAt1, greedy, kl, gold, proxy }: PolicyEvaluation) =>
  Object.entries({ 'pass@1': passAt1, greedy, KL: kl, gold, proxy })
    .map(([name, value]) => ({ name, value }))
    .find(
      (each): each is { name: string; value: number } => each.value !== null && !Number.isFinite(each.value),
    );
