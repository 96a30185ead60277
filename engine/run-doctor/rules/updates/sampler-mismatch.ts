import { quantile } from '../../../evaluate/index.ts';
import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Mean absolute difference of log-probabilities, in nats per token, that float32 arithmetic explains amply. */
const most = 0.01;

/**
 * The sampler and the trainer disagree on log-probabilities of the same tokens before any update: another
 * precision, temperature or tokenization. Only fresh answers are compared, so that staleness does not count.
 */
export const samplerMismatch: Rule = {
  id: 'sampler-mismatch',
  title: 'Sampler and trainer disagree',
  summary: 'Log-probabilities of freshly sampled tokens differ between the sampler and the trained model.',
  source: 'Yao et al. 2025, rollout–training mismatch makes RL off-policy without notice',
  reads: ['sampling/logp_difference', 'sampling/age'],
  find(evidence) {
    const ages = new Map(evidence.curve('sampling/age').points.map(({ step, value }) => [step, value]));
    const fresh = evidence
      .curve('sampling/logp_difference')
      .points.filter(({ step }) => ages.get(step) === 0);
    if (fresh.length < 3) return null;
    const difference = quantile(
      fresh.map(({ value }) => value),
      0.5,
    );
    if (!(difference > most)) return null;
    const began = fresh.find(({ value }) => value > most) ?? fresh[0];
    const isCooled = evidence.spec.sampling.temperature !== 1;
    return {
      severity: 'severe',
      text:
        `The model gives the tokens that it has just sampled log-probabilities ${short(difference)} nats away ` +
        'from those of the sampler, before any update. Ratios are wrong from the start, and clipping hides it.',
      observed: quantity('difference per fresh token', difference, `${short(difference)} nats`),
      expected: quantity('difference per fresh token', most, `at most ${short(most)} nats`),
      step: began.step,
      lastStep: fresh[fresh.length - 1].step,
      metric: 'sampling/logp_difference',
      answers: { purpose: 'train', step: began.step, promptId: null },
      remedies: [
        ...(isCooled ? [remedy.change('Sample at temperature 1', 'sampling.temperature', 1)] : []),
        ...(evidence.spec.device === 'cpu' ? [] : [remedy.change('Compute on the CPU', 'device', 'cpu')]),
        // until the cause is found, smaller steps keep the damage small
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
