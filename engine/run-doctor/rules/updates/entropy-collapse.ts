import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, short, type Rule } from '../../kernel/rule.ts';

/** Share of the initial entropy, and nats per token, below which a policy explores no more. */
const share = 0.2;
const nats = 0.1;
/** Pass rate from which low entropy is what a solved task looks like. */
const solved = 0.9;

/** The policy is certain of its answers while many of them are still wrong. */
export const entropyCollapse: Rule = {
  id: 'entropy-collapse',
  title: 'Entropy collapse',
  summary:
    'The entropy of next tokens fell to a small share of its start while rewards are still to be gained.',
  source: 'Cui et al. 2025, reward is bounded by the entropy that is spent (arXiv:2505.22617)',
  reads: ['entropy', 'reward/verifier', 'frac_reward_zero_std'],
  find(evidence) {
    const curve = evidence.curve('entropy');
    const { first, last } = curve;
    if (!first || !last) return null;
    const bound = Math.min(nats, share * first.mean);
    if (!(last.mean < bound)) return null;
    const right = evidence.curve('reward/verifier').last;
    const flat = evidence.curve('frac_reward_zero_std').last;
    if (right ? right.mean >= solved : !flat || flat.mean < 0.5) return null;
    const still = right
      ? `while ${percent(1 - right.mean)} of its answers are wrong`
      : `while ${percent(flat?.mean ?? 0)} of its groups give no signal`;
    return {
      severity: 'severe',
      text:
        `Entropy fell from ${short(first.mean)} to ${short(last.mean)} nats per token ${still}: the policy ` +
        'repeats itself and finds nothing new to reward.',
      observed: quantity('entropy at the end', last.mean, `${short(last.mean)} nats per token`),
      expected: quantity('least entropy while it learns', bound, `at least ${short(bound)} nats per token`),
      step: curve.since((value) => value < bound),
      lastStep: last.to,
      metric: 'entropy',
      answers: { purpose: 'train', step: null, promptId: null },
      remedies: [
        ...remedy.param(evidence, 'clipHigh', 0.28, 'Raise the upper clip bound to 0.28'),
        ...remedy.param(evidence, 'entropyWeight', 0.02, 'Entropy bonus 0.02'),
        ...remedy.klWeight(evidence, 3, 0.02),
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
