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
  { id: 'verdicts', title: 'Verdicts' },
  { id: 'results', title: 'Results' },
  { id: 'rescore', title: 'Re-score' },
  { id: 'log', title: 'Log' },
  { id: 'config', title: 'Configuration' },
];

/**
 * Tabs of a run's page, with the number of findings; a log of another tool has no answers and no results.
 * `judges`: a role of its method writes verdicts on lines.
 */
export const tabsOf = ({ imported, findings }: Run, judges: boolean): readonly RunTab[] => {
  const found = findings ? findings.severe + findings.warning : 0;
  return all
    .filter(({ id }) => judges || id !== 'verdicts')
    .filter(({ id }) => !imported || ['curves', 'log', 'config'].includes(id))
    .map((tab) => (tab.id === 'doctor' && found > 0 ? { ...tab, note: String(found) } : tab));
};

/** The tab of an address: the first one where the run does not have it. */
export const tabOf = (run: Run | null, judges: boolean, asked = 'curves'): string =>
  run && !tabsOf(run, judges).some(({ id }) => id === asked) ? 'curves' : asked;
