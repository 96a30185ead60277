import { count, plural } from '../../lib/format.ts';
import { href } from '../../lib/router.svelte.ts';
import type { Holdings } from './holdings.ts';
import { comparison, evaluated } from './next-step.ts';

/** A place of the training loop, with what the workspace holds there. */
export interface LoopNode {
  readonly title: string;
  readonly href: string;
  /** What happens there. */
  readonly text: string;
  /** Null until it is read. */
  readonly count: string | null;
  readonly detail: string;
}

const sum = <T>(list: readonly T[], of: (each: T) => number): number =>
  list.reduce((total, each) => total + of(each), 0);

/** The places of the loop in order; `held` is null while it is read. */
export const loopNodes = (held: Holdings | null): LoopNode[] => {
  const decided = held ? sum(held.labelSets, (set) => set.decided) : 0;
  const pairs = held ? sum(held.labelSets, (set) => set.pairs) : 0;
  const rows = held ? sum(held.datasets, (dataset) => dataset.rows) : 0;
  const runIds = held ? evaluated(held) : [];
  const { path, query } = comparison(runIds);
  return [
    {
      title: 'Data',
      href: href(['datasets']),
      text: 'Prompts and answers',
      count: held && plural(held.datasets.length, 'dataset'),
      detail: rows ? plural(rows, 'row') : '',
    },
    {
      title: 'Label',
      href: href(['label']),
      text: 'Which answer is better?',
      count: held && plural(held.labelSets.length, 'label set'),
      detail: pairs ? `${count(decided)} of ${count(pairs)} decided` : '',
    },
    {
      title: 'Reward model',
      href: href(['rewards']),
      text: 'Learns your preferences',
      count: held && plural(held.judges.length, 'reward model'),
      detail: '',
    },
    {
      title: 'Sharpen',
      href: href(['runs']),
      text: 'Trains a policy on rewards',
      count: held && plural(held.improved.length, 'run'),
      detail: held?.policies.length ? plural(held.policies.length, 'checkpoint') : '',
    },
    {
      title: 'Compare',
      href: href(path, query),
      text: 'What each method gained',
      count: held && plural(runIds.length, 'evaluated run'),
      detail: '',
    },
  ];
};
