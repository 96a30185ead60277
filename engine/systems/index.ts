/** Published systems of post-training, and what this version carries of each. */
import type { SystemFacts, SystemPart } from '../schema/systems.ts';
import { agents } from './entries/agents.ts';
import { context } from './entries/context.ts';
import { control } from './entries/control.ts';
import { decoding } from './entries/decoding.ts';
import { groupCredit } from './entries/group-credit.ts';
import { judges } from './entries/judges.ts';
import { offlineControl } from './entries/offline-control.ts';
import { outside } from './entries/outside.ts';
import { pacing } from './entries/pacing.ts';
import { preferences } from './entries/preferences.ts';
import { protocols } from './entries/protocols.ts';
import { recipes } from './entries/recipes.ts';
import { references } from './entries/references.ts';
import { replay } from './entries/replay.ts';
import { rewards } from './entries/rewards.ts';
import { roles } from './entries/roles.ts';
import { selfMadeData } from './entries/self-made-data.ts';
import { testTime } from './entries/test-time.ts';
import { trees } from './entries/trees.ts';
import { variants } from './entries/variants.ts';
import { measuredOf } from './effects.ts';
import { clusters } from './kernel/clusters.ts';
import type { Parts, System, SystemState } from './kernel/system.ts';

export { clusters as systemClusters } from './kernel/clusters.ts';
export { effects as systemEffects, type SystemEffects } from './effects.ts';
export type { System, SystemState } from './kernel/system.ts';

/** Every system: first those of the clusters in their order, then those of none. */
export const systems: readonly System[] = [
  ...roles,
  ...references,
  ...context,
  ...trees,
  ...testTime,
  ...decoding,
  ...agents,
  ...selfMadeData,
  ...judges,
  ...rewards,
  ...variants,
  ...replay,
  ...protocols,
  ...control,
  ...offlineControl,
  ...preferences,
  ...groupCredit,
  ...pacing,
  ...recipes,
  ...outside,
];

const kinds = [
  'method',
  'preset',
  'reward',
  'controller',
  'operator',
  'plan',
  'world',
  'agent',
  'rule',
  'probe',
  'file',
] as const;
const partsOf = (parts: Parts): SystemPart[] =>
  kinds.flatMap((kind) => {
    const id = parts[kind];
    return id === undefined ? [] : [{ kind, id }];
  });

const wordsOf = ({ kind, id }: SystemPart): string => `the ${titles[kind]} ${id}`;
const titles: { readonly [K in SystemPart['kind']]: string } = {
  method: 'method',
  preset: 'preset',
  reward: 'reward',
  controller: 'controller',
  operator: 'operator',
  plan: 'plan',
  world: 'world',
  agent: 'tabular agent',
  rule: 'run doctor’s rule',
  probe: 'probe',
  file: 'code in',
};
const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const listed = (words: readonly string[]): string => list.format(words);

const evidenceOf = (state: SystemState, cluster: number | null): string => {
  switch (state.status) {
    case 'works':
      return `Carried by ${listed(partsOf(state.parts).map(wordsOf))}; tested in ${state.test}.`;
    case 'expressible':
      return state.differs;
    case 'none':
      return state.missing ?? clusters.find(({ id }) => id === cluster)?.needs ?? '';
    case 'n/a':
      return state.why;
  }
};

/** The plan that shows a system, whether it carries it or only approaches it. */
const planOf = (state: SystemState): string | null => {
  if (state.status === 'works') return state.parts.plan ?? null;
  return 'plan' in state ? state.plan : null;
};

/** The systems as plain data, for pages and the command line. */
export const systemFacts: readonly SystemFacts[] = systems.map(({ state, cluster, ...system }) => ({
  ...system,
  cluster,
  status: state.status,
  evidence: evidenceOf(state, cluster),
  parts: state.status === 'works' ? partsOf(state.parts) : [],
  test: state.status === 'works' ? state.test : null,
  spec: ('spec' in state && state.spec) || null,
  plan: planOf(state),
  measured: measuredOf(system.id),
}));
