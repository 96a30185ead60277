import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Mean difference of log-probabilities in nats per token: e^0.2 is the usual clip bound. */
const most = 0.2;

/** Answers are learned from after so many updates that the policy has moved away from the one that wrote them. */
export const staleData: Rule = {
  id: 'stale-data',
  title: 'Stale answers',
  summary: 'Answers are several updates old when they are learned from, and the policy has changed since.',
  source: 'Schulman et al. 2017: the surrogate holds near the policy that sampled (arXiv:1707.06347)',
  reads: ['sampling/logp_difference', 'sampling/age'],
  find(evidence) {
    const ages = evidence.curve('sampling/age');
    const differences = evidence.curve('sampling/logp_difference');
    if (!ages.isLong || !differences.isLong) return null;
    const oldest = ages.quantile(1);
    const old = new Set(ages.points.filter(({ value }) => value > 0).map(({ step }) => step));
    const stale = differences.points.filter(({ step }) => old.has(step));
    if (stale.length < 3) return null;
    const mean = stale.reduce((sum, { value }) => sum + value, 0) / stale.length;
    if (!(mean > most)) return null;
    const began = stale.find(({ value }) => value > most) ?? stale[0];
    return {
      severity: 'warning',
      text:
        `Answers were up to ${oldest} updates old, and the policy's log-probabilities of their tokens had moved ` +
        `by ${short(mean)} nats on average: most of what is learned is about a policy that is gone.`,
      observed: quantity('movement since sampling', mean, `${short(mean)} nats per token, ${oldest} updates`),
      expected: quantity('movement since sampling', most, `at most ${short(most)} nats per token`),
      step: began.step,
      lastStep: stale[stale.length - 1].step,
      metric: 'sampling/logp_difference',
      answers: { purpose: 'train', step: null, promptId: null },
      remedies: [...remedy.oneEpoch(evidence), remedy.learningRate(evidence, 0.3)],
    };
  },
};
