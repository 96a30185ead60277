import { change } from '../../kernel/curve.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Evidence, type Found, type Rule } from '../../kernel/rule.ts';

/** Rise of the held-out loss above its least value that is more than noise, as a share. */
const rise = 0.05;

const remedies = (evidence: Evidence, best: number) => [
  ...(best > 0 && best < evidence.lastStep ? [remedy.steps(best)] : []),
  ...(evidence.spec.optimizer.dropout < 0.1 ? [remedy.change('Dropout 0.1', 'optimizer.dropout', 0.1)] : []),
  remedy.learningRate(evidence, 0.3),
];

/** Held-out loss above its least value while the training loss falls. */
const byLoss = (evidence: Evidence): Found | null => {
  const { points } = evidence.curve('eval/loss');
  const training = evidence.trainingLoss;
  if (points.length < 2 || !training.first || !training.last) return null;
  const best = points.reduce((a, b) => (b.value < a.value ? b : a));
  const last = points[points.length - 1];
  if (!(last.value > (1 + rise) * best.value) || !(change(training.first, training.last) < -3)) return null;
  return {
    severity: 'warning',
    text:
      `Held-out loss was least at step ${best.step} (${short(best.value)} nats per token) and rose to ` +
      `${short(last.value)}, while the training loss fell: the model memorizes.`,
    observed: quantity('held-out loss', last.value, `${short(last.value)} nats per token`),
    expected: quantity(`held-out loss at step ${best.step}`, best.value, `at most ${short(best.value)}`),
    step: best.step,
    lastStep: last.step,
    metric: 'eval/loss',
    remedies: remedies(evidence, best.step),
  };
};

/** Held-out accuracy below an earlier one, beyond both intervals, while training accuracy rises. */
const byAccuracy = (evidence: Evidence): Found | null => {
  const training = evidence.curve('rewards/accuracies');
  const all = [...evidence.inspections, ...evidence.preferences].sort((a, b) => a.step - b.step);
  const last = all.at(-1);
  if (all.length < 2 || !last || !training.first || !training.last) return null;
  const best = all.reduce((a, b) => (b.value.accuracy > a.value.accuracy ? b : a));
  if (!(last.value.accuracyInterval[1] < best.value.accuracyInterval[0])) return null;
  if (!(training.last.mean > training.first.mean)) return null;
  return {
    severity: 'warning',
    text:
      `Held-out accuracy was ${percent(best.value.accuracy)} at step ${best.step} and fell to ` +
      `${percent(last.value.accuracy)}, beyond both intervals, while training accuracy rose to ` +
      `${percent(training.last.mean)}: the model memorizes its pairs.`,
    observed: quantity('held-out accuracy', last.value.accuracy, percent(last.value.accuracy)),
    expected: quantity(
      `held-out accuracy at step ${best.step}`,
      best.value.accuracy,
      `at least ${percent(best.value.accuracy)}`,
    ),
    step: best.step,
    lastStep: last.step,
    metric: 'rewards/accuracies',
    remedies: remedies(evidence, best.step),
  };
};

/** Training improves, held-out rows get worse. */
export const overfit: Rule = {
  id: 'overfit',
  title: 'Memorizes its training data',
  summary: 'Training loss or accuracy improves while that of held-out rows gets worse.',
  source: '',
  reads: ['eval/loss', 'nll', 'loss', 'reward/mean', 'entropy', 'rewards/accuracies'],
  find: (evidence) => byLoss(evidence) ?? byAccuracy(evidence),
};
