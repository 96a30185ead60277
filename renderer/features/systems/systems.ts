import type { MeasuredClaim, SystemCluster, SystemFacts } from '../../../engine/schema/systems.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { href } from '../../lib/router.svelte.ts';

export type Systems = Awaited<ReturnType<WhetstoneClient['methods']['systems']>>;
export type Status = SystemFacts['status'];
export type Class = SystemFacts['class'];

/** Words, shape and explanation of each state, in the order of lists. */
export const states: {
  readonly [S in Status]: { readonly title: string; readonly shape: string; readonly about: string };
} = {
  works: {
    title: 'works',
    shape: '✓',
    about: 'Its mechanism is a part of this version, and a test holds the part.',
  },
  expressible: {
    title: 'can be expressed',
    shape: '◐',
    about: 'A run or a plan of existing parts comes near it; the difference to the paper is stated.',
  },
  none: { title: 'not carried', shape: '○', about: 'It needs a part that this version does not have.' },
  'n/a': { title: 'nothing to carry', shape: '–', about: 'A survey, or a system of another field.' },
};
export const statuses = Object.keys(states) as readonly Status[];

export const classes: { readonly [C in Class]: string } = {
  core: 'post-training',
  adaptable: 'adaptable to text',
  env: 'control worlds',
  out: 'another field',
  survey: 'survey or position',
};

/** Filter of the list, as the address holds it; empty: any. */
export interface Filter {
  readonly q: string;
  readonly state: string;
  readonly class: string;
  /** The number of a cluster, or `none`. */
  readonly cluster: string;
}

/** The filter of an address. */
export const filterOf = (query: Readonly<Record<string, string | undefined>>): Filter => ({
  q: query.q ?? '',
  state: query.state ?? '',
  class: query.class ?? '',
  cluster: query.cluster ?? '',
});

/** The address of a system, or of the list alone, with a filter. */
export const systemHref = (id: string | null, filter: Filter): string =>
  href(id === null ? ['atlas'] : ['atlas', id], { ...filter });

export const hasFilter = (filter: Filter): boolean => Object.values(filter).some((value) => value !== '');

const textOf = ({ id, name, paper, about, evidence, parts }: SystemFacts): string =>
  [id, name, paper, about, evidence, ...parts.map((part) => part.id)].join(' ').toLowerCase();

/** Systems that contain every word of `q` and pass the rest of the filter. */
export const foundSystems = (systems: readonly SystemFacts[], filter: Filter): readonly SystemFacts[] => {
  const words = filter.q.trim().toLowerCase().split(/\s+/);
  return systems.filter(
    (each) =>
      (filter.state === '' || each.status === filter.state) &&
      (filter.class === '' || each.class === filter.class) &&
      (filter.cluster === '' || String(each.cluster ?? 'none') === filter.cluster) &&
      words.every((word) => textOf(each).includes(word)),
  );
};

/** Number of systems of each state that pass the filter apart from its state. */
export const countsOf = (
  systems: readonly SystemFacts[],
  filter: Filter,
): { readonly [S in Status]: number } => {
  const found = foundSystems(systems, { ...filter, state: '' });
  const counts = { works: 0, expressible: 0, none: 0, 'n/a': 0 };
  for (const { status } of found) counts[status] += 1;
  return counts;
};

export interface SystemGroup {
  readonly title: string;
  readonly systems: readonly SystemFacts[];
}

/** Systems under the titles of their clusters; empty groups are left out. */
export const groupsOf = (
  systems: readonly SystemFacts[],
  clusters: readonly SystemCluster[],
): readonly SystemGroup[] =>
  [
    ...clusters.map(({ id, title }) => ({ id, title: `${id}. ${title}` })),
    { id: null, title: 'Of no cluster' },
  ]
    .map(({ id, title }) => ({ title, systems: systems.filter(({ cluster }) => cluster === id) }))
    .filter((group) => group.systems.length > 0);

/** The method that carries a system, with its preset if it is one. */
export const methodOf = ({
  parts,
}: Pick<SystemFacts, 'parts'>): { readonly id: string; readonly preset?: string } | null => {
  const idOf = (kind: SystemFacts['parts'][number]['kind']) => parts.find((part) => part.kind === kind)?.id;
  const id = idOf('method');
  const preset = idOf('preset');
  return id === undefined ? null : { id, ...(preset !== undefined && { preset }) };
};

/** Ends of the axis of a claim: those of all intervals of the same measure, and 0. */
export const axisOf = (
  { measure }: Pick<MeasuredClaim, 'measure'>,
  claims: readonly Pick<MeasuredClaim, 'measure' | 'interval'>[],
): readonly [number, number] => {
  const ends = claims.filter((each) => each.measure === measure).flatMap(({ interval }) => interval);
  return [Math.min(0, ...ends), Math.max(0, ...ends)];
};

/** The command line that runs a tabular agent. */
export const agentCommand = (id: string): string =>
  `npm run cli -- control --agent ${id} --world deep-sea --steps 20000 --seeds 5`;
