/** Examines runs by named rules over their stored curves, answers and evaluations. */
import { severities, type RunFinding } from '../schema/run-finding.ts';
import { Evidence, type StoredRun } from './kernel/evidence.ts';
import { rules } from './rules/index.ts';

export { expectedFlatShare } from './kernel/flat-share.ts';
export type { StoredAnswer, StoredResult, StoredRun } from './kernel/evidence.ts';
export type { StoredCurve } from './kernel/curve.ts';

/**
 * Version of the rules: findings that were stored by another version are computed again. Raise it with every
 * change of what a rule finds or says.
 */
export const runDoctorVersion = 4;

/** Summaries of the rules, for documentation and benchmarks. */
export const runRules = rules.map(({ id, title, summary, source, reads }) => ({
  id,
  title,
  summary,
  source,
  reads: [...reads],
}));

/** True if some rule reads a metric; names of several roles begin with the role. */
export const isReadByRules = (name: string): boolean =>
  !/^(seconds\/|tokens_per_second|control\/)/.test(name);

/** Findings of a run, severe ones first. */
export const examineRun = (stored: StoredRun): RunFinding[] => {
  const evidence = new Evidence(stored);
  const found = rules.flatMap(({ id, title, source, find }): RunFinding[] => {
    const finding = find(evidence);
    return finding === null ? [] : [{ rule: id, title, source, metric: null, answers: null, ...finding }];
  });
  return found.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
};
