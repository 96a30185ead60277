/** Claims of papers about methods, against their baselines at the same budget. */
import { bootstrap, meanInterval } from '../../engine/evaluate/index.ts';
import type { Interval } from '../../engine/schema/evaluation.ts';
import { openDevice } from '../../engine/runtime/index.ts';
import type { Claim } from './claims/claim.ts';
import { claims } from './claims/index.ts';
import { rounded, say } from './figures.ts';

export interface Finding extends Omit<Claim, 'of'> {
  /** One per seed, in the order of the seeds. */
  readonly ofMethod: readonly number[];
  readonly ofBaseline: readonly number[];
  /** Mean of method − baseline on the same seed, with a bootstrap interval over the seeds. */
  readonly difference: { readonly mean: number; readonly interval: Interval };
  readonly intervals: { readonly method: Interval; readonly baseline: Interval };
  /** `holds`: the whole interval is on the claimed side; `opposite`: on the other; else undecided. */
  readonly verdict: 'holds' | 'opposite' | 'unclear';
  readonly seconds: number;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const both = (interval: Interval): Interval => [rounded(interval[0]), rounded(interval[1])];

/** Evaluates a claim on paired values. */
export const judge = (
  ofMethod: readonly number[],
  ofBaseline: readonly number[],
  better: Claim['better'],
): Pick<Finding, 'difference' | 'intervals' | 'verdict'> => {
  const differences = ofMethod.map((value, at) => value - ofBaseline[at]);
  const interval = bootstrap(differences.length, (picked) =>
    mean(Array.from(picked, (at) => differences[at])),
  );
  const [worst, best] = better === 'higher' ? interval : [-interval[1], -interval[0]];
  return {
    difference: { mean: rounded(mean(differences)), interval: both(interval) },
    intervals: { method: both(meanInterval(ofMethod)), baseline: both(meanInterval(ofBaseline)) },
    verdict: worst > 0 ? 'holds' : best < 0 ? 'opposite' : 'unclear',
  };
};

export const measureClaims = async ({
  threads,
  seeds,
  only,
}: {
  readonly threads: number;
  readonly seeds: number;
  readonly only?: string;
}): Promise<Finding[]> => {
  const device = await openDevice({ id: 'cpu', threads });
  const findings: Finding[] = [];
  for (const { of, ...claim } of claims.filter(({ id }) => only === undefined || id === only)) {
    const began = performance.now();
    const ofMethod: number[] = [];
    const ofBaseline: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const { method, baseline } = await of({ device }, seed);
      ofMethod.push(rounded(method));
      ofBaseline.push(rounded(baseline));
      say(`${claim.id}, seed ${seed}: ${ofMethod[seed - 1]} against ${ofBaseline[seed - 1]}`);
    }
    const finding = {
      ...claim,
      ofMethod,
      ofBaseline,
      ...judge(ofMethod, ofBaseline, claim.better),
      seconds: Math.round((performance.now() - began) / 1000),
    };
    say(
      `${claim.id}: ${finding.verdict}; ${claim.method} − ${claim.baseline} = ${finding.difference.mean} ` +
        `[${finding.difference.interval.join(', ')}] (${claim.measure})`,
    );
    findings.push(finding);
  }
  return findings;
};
