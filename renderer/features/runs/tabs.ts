import type { Run } from '../../../preload/contract/runs.ts';

export interface RunTab {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
}

const all: readonly RunTab[] = [
  { id: 'curves', title: 'Curves' },
  { id: 'doctor', title: 'Doctor' },
  { id: 'samples', title: 'Samples' },
  { id: 'red-team', title: 'Red team' },
  { id: 'results', title: 'Results' },
  { id: 'rescore', title: 'Re-score' },
  { id: 'log', title: 'Log' },
  { id: 'config', title: 'Configuration' },
];

/** True for a run in which an attacker writes to a target. */
const isRedTeam = ({ method, spec }: Run): boolean =>
  method === 'mart' || ['attacker', 'target'].some((role) => role in (spec?.models ?? {}));

/** Tabs of a run's page, with the number of findings; a log of another tool has no answers and no results. */
export const tabsOf = (run: Run): readonly RunTab[] => {
  const { imported, findings } = run;
  const found = findings ? findings.severe + findings.warning : 0;
  return all
    .filter(({ id }) => !imported || ['curves', 'log', 'config'].includes(id))
    .filter(({ id }) => id !== 'red-team' || isRedTeam(run))
    .map((tab) => (tab.id === 'doctor' && found > 0 ? { ...tab, note: String(found) } : tab));
};

/** The tab of an address: the first one where the run does not have it. */
export const tabOf = (run: Run | null, asked = 'curves'): string =>
  run && !tabsOf(run).some(({ id }) => id === asked) ? 'curves' : asked;
