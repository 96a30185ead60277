import { change } from '../../kernel/curve.ts';
import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Evidence, type Found, type Rule } from '../../kernel/rule.ts';

/** Standard errors by which training curves must have parted, and the fall of the pass rate that matters. */
const errors = 4;
const fall = 0.03;

const remedies = (evidence: Evidence, peak: number) => [
  ...remedy.klWeight(evidence, 10, 0.1),
  ...(peak > 0 && peak < evidence.lastStep ? [remedy.steps(peak)] : []),
  remedy.learningRate(evidence, 0.3),
  remedy.watch(evidence),
];

/** The run's own evaluations, or that of the checkpoint that it began from: both intervals exclude no fall. */
const byEvaluations = (evidence: Evidence): Found | null => {
  const own = evidence.evaluations;
  const last = own.at(-1);
  const earlier = [...(evidence.start ? [{ ...evidence.start, step: 0 }] : []), ...own.slice(0, -1)];
  if (!last || earlier.length === 0) return null;
  const best = earlier.reduce((a, b) => (b.passAt1 > a.passAt1 ? b : a));
  if (!(last.passAt1Interval[1] < best.passAt1Interval[0])) return null;
  const reward = evidence.curve('reward/mean');
  const before = best.proxy ?? reward.first?.mean;
  const after = best.proxy === null || best.proxy === undefined ? reward.last?.mean : last.proxy;
  // a start by another run has that run's proxy
  const [from, to] =
    best.step === 0 && reward.first && reward.last ? [reward.first.mean, reward.last.mean] : [before, after];
  if (from === undefined || to === undefined || to === null || !(to > from)) return null;
  return {
    severity: 'severe',
    text:
      `The reward that it trains on rose from ${short(from)} to ${short(to)}, while held-out pass@1 fell from ` +
      `${percent(best.passAt1)}${best.step === 0 ? ' at the start' : ` at step ${best.step}`} to ` +
      `${percent(last.passAt1)}, beyond both intervals: the policy games the reward.`,
    observed: quantity('held-out pass@1', last.passAt1, percent(last.passAt1)),
    expected: quantity('held-out pass@1 before', best.passAt1, `at least ${percent(best.passAt1)}`),
    step: parting(evidence) ?? last.step,
    lastStep: last.step,
    metric: evidence.curve('reward/verifier').isLong ? 'reward/verifier' : 'reward/mean',
    answers: { purpose: 'evaluation', step: last.step, promptId: null },
    remedies: remedies(evidence, best.step),
  };
};

/** The step at which training verdicts were best, where they fell afterwards. */
const parting = (evidence: Evidence): number | null => {
  const gold = evidence.curve('reward/verifier');
  const best = peak(gold.points);
  return gold.isLong && best < gold.lastStep ? best : null;
};

/** The last step of the window of a fifth of the points whose mean is highest. */
const peak = (points: readonly { readonly step: number; readonly value: number }[]): number => {
  const width = Math.max(5, Math.floor(points.length / 5));
  let sum = 0;
  let best = { mean: -Infinity, step: 0 };
  points.forEach(({ step, value }, at) => {
    sum += value - (at >= width ? points[at - width].value : 0);
    if (at >= width - 1 && sum / width > best.mean) best = { mean: sum / width, step };
  });
  return best.step;
};

/** The verifier recorded in training, where it has no weight: seen while the run still trains. */
const byTraining = (evidence: Evidence): Found | null => {
  const gold = evidence.curve('reward/verifier');
  const proxy = evidence.curve('reward/mean');
  const [last, proxyFirst, proxyLast] = [gold.last, proxy.first, proxy.last];
  if (!gold.first || !last || !proxyFirst || !proxyLast) return null;
  const top = peak(gold.points);
  const width = Math.max(5, Math.floor(gold.points.length / 5));
  const until = gold.points.findIndex(({ step }) => step === top) + 1;
  const best = gold.points.slice(Math.max(0, until - width), until);
  const mean = best.reduce((sum, { value }) => sum + value, 0) / best.length;
  const at = { mean, error: last.error, from: best[0].step, to: top, n: best.length };
  if (!(mean - last.mean > fall) || !(change(at, last) < -errors)) return null;
  if (!(change(proxyFirst, proxyLast) > errors)) return null;
  return {
    severity: 'severe',
    text:
      `The reward that it trains on rose from ${short(proxyFirst.mean)} to ${short(proxyLast.mean)}, while the ` +
      `share of right training answers fell from ${percent(mean)} at step ${top} to ${percent(last.mean)}: ` +
      'the policy games the reward.',
    observed: quantity('right training answers', last.mean, percent(last.mean)),
    expected: quantity(`right training answers at step ${top}`, mean, `at least ${percent(mean)}`),
    step: top,
    lastStep: last.to,
    metric: 'reward/verifier',
    answers: { purpose: 'train', step: null, promptId: null },
    remedies: remedies(evidence, top),
  };
};

/** Reward hacking: what is trained on rises while what is wanted falls. */
export const proxyOverGold: Rule = {
  id: 'proxy-over-gold',
  title: 'Proxy up while gold falls',
  summary: 'The reward trained on rises while verdicts of held-out or training answers fall.',
  source: 'Gao et al. 2022, scaling laws for reward model overoptimization (arXiv:2210.10760)',
  reads: ['reward/mean', 'reward/verifier'],
  find: (evidence) => (evidence.trainsOnProxy ? (byEvaluations(evidence) ?? byTraining(evidence)) : null),
};
