import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Nats that the preferred answers may have lost before their loss is more than a side effect. */
const most = 15;

/**
 * Preferred answers become less likely too. `rewards/chosen` is β(log π − log π₀) of the preferred answers, so
 * that a negative value, divided by β, is how many nats they lost.
 */
export const bothLogpsFall: Rule = {
  id: 'both-logps-fall',
  title: 'Preferred answers become unlikely too',
  summary: 'Log-probabilities of preferred and of rejected answers both fall; only their difference grows.',
  source: 'Likelihood displacement: Razin et al. 2024 (arXiv:2410.08847); DPO-Positive (arXiv:2402.13228)',
  reads: ['rewards/chosen', 'rewards/rejected', 'rewards/margins'],
  find(evidence) {
    const chosen = evidence.curve('rewards/chosen');
    const [last, rejected] = [chosen.last, evidence.curve('rewards/rejected').last];
    const beta = evidence.param('beta') ?? 1;
    if (!last || !rejected || !(beta > 0)) return null;
    const [lost, lostRejected] = [last.mean / beta, rejected.mean / beta];
    if (!(lost < -most) || !(lostRejected < 0) || !(last.mean < -3 * last.error)) return null;
    return {
      severity: 'warning',
      text:
        `Preferred answers lost ${short(-lost)} nats of log-probability, and rejected ones ${short(-lostRejected)}: ` +
        'probability goes to answers that are in no pair.',
      observed: quantity('log-probability of preferred answers', lost, `${short(lost)} nats`),
      expected: quantity('log-probability of preferred answers', -most, `at least ${short(-most)} nats`),
      step: chosen.since((value) => value / beta < -most),
      lastStep: last.to,
      metric: 'rewards/chosen',
      remedies: [
        ...remedy.param(evidence, 'sftWeight', 1, 'Add the likelihood of preferred answers'),
        ...remedy.param(evidence, 'beta', Math.min(100, beta * 3), `β ${short(Math.min(100, beta * 3))}`),
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
