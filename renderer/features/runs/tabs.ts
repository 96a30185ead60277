import type { Run } from '../../../preload/contract/runs.ts';

export interface RunTab {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
}

const evolve: RunTab = { id: 'evolve', title: 'Evolve' };
const probe: RunTab = { id: 'probe', title: 'Probe' };
const all: readonly RunTab[] = [
  { id: 'curves', title: 'Curves' },
  { id: 'doctor', title: 'Doctor' },
  { id: 'samples', title: 'Samples' },
  { id: 'verdicts', title: 'Verdicts' },
  { id: 'red-team', title: 'Red team' },
  { id: 'results', title: 'Results' },
  { id: 'rescore', title: 'Re-score' },
  { id: 'log', title: 'Log' },
  { id: 'config', title: 'Configuration' },
];

/** The first tab of runs of some methods. */
const firstOf: ReadonlyMap<string, RunTab> = new Map([
  ['search-rounds', evolve],
  ['ert', probe],
]);

/** True for a run in which an attacker writes to a target. */
const isRedTeam = ({ method, spec }: Run): boolean =>
  method === 'mart' || ['attacker', 'target'].some((role) => role in (spec?.models ?? {}));

/**
 * Tabs of a run's page, with the number of findings; a log of another tool has no answers and no results. A
 * search in rounds begins with its attempts, a probe with its failures. `judges`: a role of its method writes
 * verdicts on lines.
 */
export const tabsOf = (run: Run, judges = false): readonly RunTab[] => {
  const { imported, findings, spec } = run;
  const found = findings ? findings.severe + findings.warning : 0;
  const first = firstOf.get(spec?.method.id ?? '');
  return [...(first ? [first] : []), ...all]
    .filter(({ id }) => judges || id !== 'verdicts')
    .filter(({ id }) => !imported || ['curves', 'log', 'config'].includes(id))
    .filter(({ id }) => id !== 'red-team' || isRedTeam(run))
    .map((tab) => (tab.id === 'doctor' && found > 0 ? { ...tab, note: String(found) } : tab));
};

/** The tab of an address: the first one where the run does not have it. */
export const tabOf = (run: Run | null, asked?: string, judges = false): string => {
  const tabs = run ? tabsOf(run, judges).map(({ id }) => id) : [];
  return asked !== undefined && (!run || tabs.includes(asked)) ? asked : (tabs.at(0) ?? 'curves');
};

/** Explanation in the tab of curves for a run without one. */
export function withoutCurves(state: Run['state']): string {
  if (state === 'queued') return 'Waiting in the queue.';
  return state === 'running' || state === 'stopping'
    ? 'Curves appear with the first step.'
    : 'It ended before its first step.';
}
