import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Rule } from '../../kernel/rule.ts';

/** Share of answers without a score above which the reward is biased by what fails. */
const most = 0.01;
const failed = /^(?:.*\/)?reward\/(.+)\/failed$/;

/** A scorer fails on answers, which then get a fallback instead of a score. */
export const scorerErrs: Rule = {
  id: 'scorer-errs',
  title: 'A scorer fails',
  summary: 'A scorer or verifier could not score some answers, which got its fallback instead.',
  source: '',
  reads: ['reward/*/failed'],
  find(evidence) {
    const curves = evidence.metrics.filter((name) => failed.test(name)).map((name) => evidence.curve(name));
    const shares = curves.map((curve) => ({
      curve,
      share: curve.points.reduce((sum, { value }) => sum + value, 0) / Math.max(1, curve.points.length),
    }));
    const worst = shares.reduce<(typeof shares)[number] | null>(
      (a, b) => (a === null || b.share > a.share ? b : a),
      null,
    );
    if (!worst || !(worst.share > most)) return null;
    const { curve, share } = worst;
    const scorer = failed.exec(curve.name)?.[1] ?? curve.name;
    const bad = curve.points.filter(({ value }) => value > 0);
    const example = evidence.faults.find(({ value }) => value.scorer === scorer)?.value.message;
    return {
      severity: share > 0.1 ? 'severe' : 'warning',
      text:
        `${scorer} could not score ${percent(share)} of the answers${example ? ` (${example})` : ''}. They got ` +
        'its fallback, so the policy learns to cause, or to avoid, the error.',
      observed: quantity('answers without a score', share, percent(share)),
      expected: quantity('answers without a score', most, `at most ${percent(most)}`),
      step: bad[0].step,
      lastStep: bad[bad.length - 1].step,
      metric: curve.name,
      answers: { purpose: 'train', step: bad[0].step, promptId: null },
      remedies: [...remedy.rewardWeight(evidence, scorer, 0), remedy.longerAnswers(evidence)],
    };
  },
};
