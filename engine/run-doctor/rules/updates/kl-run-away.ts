import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** KL of the best of n answers from the policy that wrote them, in nats: ln n − (n − 1)/n. */
export const bestOfKl = (n: number): number => Math.log(n) - (n - 1) / n;

/** A policy trained on a proxy is as far as the best of a million answers; one trained on verdicts, per token. */
const farForProxy = bestOfKl(1e6);
const farPerToken = 1;

/** The policy leaves the initial one so far that rewards learned near it no longer hold. */
export const klRunAway: Rule = {
  id: 'kl-run-away',
  title: 'KL runs away',
  summary: 'KL to the initial policy is larger than any selection among its answers explains, and grows.',
  source: 'Gao et al. 2022, appendix: KL of best-of-n is ln n − (n − 1)/n (arXiv:2210.10760)',
  reads: ['kl', 'entropy', 'completions/mean_length'],
  find(evidence) {
    const curve = evidence.curve('kl');
    const { last } = curve;
    // from random weights every policy that learns goes far
    if (!last || evidence.spec.models.policy.kind === 'new') return null;
    const length = evidence.curve('completions/mean_length').last?.mean ?? 1;
    // of methods on whole answers, kl is per answer already
    const isPerToken = evidence.curve('entropy').isLong;
    const perAnswer = isPerToken ? last.mean * length : last.mean;
    const proxy = evidence.trainsOnProxy;
    const limit = proxy ? farForProxy : farPerToken * (isPerToken ? length : 1);
    if (!(perAnswer > limit) || !(last.mean > 2 * curve.points[0].value)) return null;
    const scale = perAnswer / last.mean;
    return {
      severity: 'severe',
      text: `KL to the initial policy reached ${short(perAnswer)} nats per answer. ${
        proxy
          ? `Even the best of a million of its answers lies only ${short(farForProxy)} nats away: the reward ` +
            'is asked about answers unlike any that it was trained on.'
          : 'The policy no longer writes like the model that it began from.'
      }`,
      observed: quantity('KL per answer', perAnswer, `${short(perAnswer)} nats`),
      expected: quantity(
        proxy ? 'KL of the best of a million answers' : 'a nat per token',
        limit,
        `at most ${short(limit)} nats`,
      ),
      step: curve.since((value) => value * scale > limit),
      lastStep: last.to,
      metric: 'kl',
      answers: { purpose: 'train', step: null, promptId: null },
      remedies: [...remedy.klWeight(evidence, 5), remedy.learningRate(evidence, 0.3)],
    };
  },
};
