import type { RunRemedy } from '../../../schema/run-finding.ts';
import { quantity, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** F1 of the first error below which a verifier's verdicts led policies astray (tests/bench/README.md, Tango). */
const LEAST_F1 = 0.4;
const METRIC = /^(?:policy\/)?eval\/[^/]+\/first_error_f1$/;

/** Four times the warm-up, at least 40 batches, with as many steps more. */
const longerWarmup = ({ spec }: Evidence, now: number): RunRemedy => {
  const warmup = Math.min(10_000, Math.max(40, 4 * now));
  const steps = Math.min(1_000_000, spec.budget.steps + warmup - now);
  return {
    title: `Warm-up of ${warmup} batches, in ${steps} steps`,
    changes: [
      { path: ['method', 'params', 'warmup'], value: warmup },
      { path: ['budget', 'steps'], value: steps },
    ],
  };
};

/** A policy is credited step by step by a verifier that cannot find wrong steps yet. */
export const verifierMisleads: Rule = {
  id: 'verifier-misleads',
  title: 'The verifier misleads the policy',
  summary: 'The verifier of a co-trained policy does not find the first wrong step when the policy begins.',
  source: 'F1 of the first error as in ProcessBench, arXiv:2412.06559; Tango, arXiv:2505.15034',
  reads: ['eval/*/first_error_f1'],
  find(evidence) {
    // during the warm-up the verifier trains alone; behind it, its verdicts train a policy
    const warmup = 'cue' in evidence.spec.method.params ? evidence.param('warmup') : null;
    if (warmup === null) return null;
    const guided = evidence.metrics
      .filter((name) => METRIC.test(name))
      .flatMap((metric) => {
        const first = evidence.curve(metric).points.find(({ step }) => step >= warmup);
        return first ? [{ metric, ...first }] : [];
      });
    const worst = guided.toSorted((a, b) => a.value - b.value).at(0);
    if (!worst || !(worst.value < LEAST_F1)) return null;
    return {
      severity: 'warning',
      text:
        `At the first evaluation in which it guided the policy, the verifier found first errors with an F1 of ` +
        `${short(worst.value)}: verdicts that miss what is wrong teach the policy their mistakes. Let it learn from ` +
        'planted errors before the run (the operator `verdicts` of a plan makes them), or give it more warm-up.',
      observed: quantity('F1 of the first error', worst.value, short(worst.value)),
      expected: quantity('F1 of the first error', LEAST_F1, `at least ${short(LEAST_F1)}`),
      step: worst.step,
      lastStep: evidence.curve(worst.metric).lastStep,
      metric: worst.metric,
      remedies: [longerWarmup(evidence, warmup)],
    };
  },
};
