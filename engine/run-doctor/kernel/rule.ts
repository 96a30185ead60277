import type { Quantity, RunFinding, RunRemedy } from '../../schema/run-finding.ts';
import type { Evidence } from './evidence.ts';

/** A finding before the facts of its rule are added. */
export type Found = Omit<RunFinding, 'rule' | 'title' | 'source' | 'answers' | 'metric'> &
  Partial<Pick<RunFinding, 'answers' | 'metric'>>;

/**
 * A rule about runs: pure, so that the same evidence gives the same finding. It returns null on anything that
 * it cannot decide: missing metrics, too few points.
 */
export interface Rule {
  /** Kebab-case and never reused. */
  readonly id: string;
  readonly title: string;
  /** The pathology that it looks for, in one sentence. */
  readonly summary: string;
  /** Paper or equation behind its expectation; empty without one. */
  readonly source: string;
  /** Metrics that it reads, of the policy where several roles share a name; `*` in a name: any part. */
  readonly reads: readonly string[];
  readonly find: (evidence: Evidence) => Found | null;
}

export const quantity = (name: string, value: number, text: string): Quantity => ({ name, value, text });

/** A number with three significant digits. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (value === 0) return '0';
  return size >= 0.001 && size < 100_000
    ? String(Number(value.toPrecision(3)))
    : value.toExponential(1).replace('.0e', 'e').replace('e+', 'e');
};

/** A fraction in percent, with one digit below 10 %. */
export const percent = (share: number): string =>
  Number.isFinite(share)
    ? `${Number((100 * share).toFixed(Math.abs(share) < 0.1 ? 1 : 0))} %`
    : String(share);

/** At most two significant digits, as people write settings. */
export const rounded = (value: number): number => Number(value.toPrecision(2));

export type { Evidence, RunRemedy };
