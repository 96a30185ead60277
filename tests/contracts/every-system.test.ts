/**
 * Every published system: its evidence exists. Works: a registered part, and a test that mentions it.
 * Expressible: a specification that can run, or a plan that ships. Otherwise: a reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkSpec,
  controllers,
  operators,
  methods,
  probes,
  rewards,
  runRules,
  systemClusters,
  systemFacts,
  systems,
  tabularAgents,
  worlds,
  type System,
} from '../../engine/index.ts';
import { presets as plans } from '../../main/plans/presets/index.ts';
import { root } from '../architecture/planted.ts';

type Parts = Extract<System['state'], { status: 'works' }>['parts'];
const idsOf = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id);
const presetsOf = ({ method }: Parts): readonly string[] =>
  Object.keys(methods.find(({ id }) => id === method)?.presets ?? {});
/** By kind of part: true if there is one of this id. */
const isThere: Readonly<Record<keyof Parts, (id: string, parts: Parts) => boolean>> = {
  method: (id) => idsOf(methods).includes(id),
  preset: (id, parts) => presetsOf(parts).includes(id),
  reward: (id) => idsOf(rewards).includes(id),
  controller: (id) => idsOf(controllers).includes(id),
  operator: (id) => idsOf(operators).includes(id),
  plan: (id) => idsOf(plans).includes(id),
  world: (id) => idsOf(worlds).includes(id),
  agent: (id) => idsOf(tabularAgents).includes(id),
  rule: (id) => idsOf(runRules).includes(id),
  probe: (id) => idsOf(probes).includes(id),
  file: (path) => existsSync(join(root, path)),
};

/** Faults of a system's evidence. */
const faultsOf = ({ state, cluster }: Pick<System, 'state' | 'cluster'>): string[] => {
  switch (state.status) {
    case 'works': {
      const kinds = Object.keys(state.parts) as (keyof Parts)[];
      const faults = kinds
        .filter((kind) => !isThere[kind](state.parts[kind] ?? '', state.parts))
        .map((kind) => `there is no ${kind} ${state.parts[kind]}`);
      if (kinds.length === 0) faults.push('it names no part');
      if (!/^tests\/.+\.(test\.ts|spec\.ts|json)$|^tests\/support\/oracle-cases\.ts$/.test(state.test))
        faults.push(`${state.test} is no test`);
      else if (!existsSync(join(root, state.test))) faults.push(`there is no ${state.test}`);
      else if (!state.mentions || !readFileSync(join(root, state.test), 'utf8').includes(state.mentions))
        faults.push(`${state.test} does not mention '${state.mentions}'`);
      if (state.spec) checkSpec(state.spec);
      return faults;
    }
    case 'expressible':
      if ('spec' in state) checkSpec(state.spec);
      else if (!idsOf(plans).includes(state.plan)) return [`there is no plan ${state.plan}`];
      return state.differs.length > 20 ? [] : ['it does not say in what it differs'];
    case 'none':
      return state.missing === undefined && cluster === null ? ['it does not say what is missing'] : [];
    case 'n/a':
      return state.why.length > 20 ? [] : ['it does not say why'];
  }
};

it('the list has all 291 systems of the catalogue, by class, with different ids and names', () => {
  const counts: Record<string, number> = {};
  for (const each of systems) counts[each.class] = (counts[each.class] ?? 0) + 1;
  expect(counts).toEqual({ core: 152, adaptable: 59, env: 44, out: 24, survey: 12 });
  expect(new Set(idsOf(systems)).size).toBe(291);
  expect(new Set(systems.map(({ name }) => name)).size).toBe(291);
});

it('clusters are numbered from 1, and each of them has systems', () => {
  expect(systemClusters.map(({ id }) => id)).toEqual(systemClusters.map((_, at) => at + 1));
  const used = new Set(systems.map(({ cluster }) => cluster).filter((cluster) => cluster !== null));
  expect([...used].toSorted((a, b) => a - b)).toEqual(idsOfClusters);
});
const idsOfClusters = systemClusters.map(({ id }) => id);

/** Clusters of which something is carried, so that their sentence is no reason any more. */
const carried = new Set(
  systems
    .filter(({ state }) => state.status === 'works' || 'plan' in state)
    .flatMap(({ cluster }) => cluster ?? []),
);

it('in a cluster of which something is carried, each system that is not says what it lacks itself', () => {
  expect(carried.size).toBeGreaterThan(5);
  const bare = systems.filter(
    ({ cluster, state }) =>
      cluster !== null && carried.has(cluster) && state.status === 'none' && state.missing === undefined,
  );
  expect(idsOf(bare)).toEqual([]);
  const reasons = systems.flatMap(({ state }) => (state.status === 'none' ? (state.missing ?? []) : []));
  expect(new Set(reasons).size).toBe(reasons.length);
});

it('no evidence is a bare list of parts', () => {
  for (const { id, evidence } of systemFacts) expect(evidence, id).toMatch(/^[A-Z“].*\.$/);
});

describe.each(systems.map((system) => [system.id, system] as const))('the system %s', (id, system) => {
  it('has a plain id, a paper and a sentence of its own', () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(system.paper.length).toBeGreaterThan(10);
    expect(system.about).toMatch(/^[A-Z“][^\n]{38,118}\.$/);
  });
  it('has evidence that exists', () => expect(faultsOf(system)).toEqual([]));
  it('gives its evidence as text', () => {
    const facts = systemFacts.find((each) => each.id === id);
    expect(facts?.evidence.length).toBeGreaterThan(20);
    expect(facts?.spec !== null).toBe('spec' in system.state && system.state.spec !== undefined);
    const { state } = system;
    const plan = state.status === 'works' ? state.parts.plan : 'plan' in state ? state.plan : undefined;
    expect(facts?.plan ?? undefined).toBe(plan);
  });
});

describe('the check of evidence', () => {
  const works = (parts: Parts, test: string, mentions: string) =>
    faultsOf({ cluster: 1, state: { status: 'works', parts, test, mentions } });
  it('finds parts and tests that do not exist, and a test that does not mention the part', () => {
    const test = 'tests/contracts/every-system.test.ts';
    const absent = ['no', 'such', 'words'].join(' ');
    expect(works({ method: 'none-such' }, test, 'method')).toEqual(['there is no method none-such']);
    expect(works({ method: 'grpo', preset: 'none-such' }, test, 'grpo')).toEqual([
      'there is no preset none-such',
    ]);
    expect(works({ reward: 'par' }, test, absent)).toEqual([`${test} does not mention '${absent}'`]);
    expect(works({ reward: 'par' }, 'tests/none-such.test.ts', 'par')).toEqual([
      'there is no tests/none-such.test.ts',
    ]);
    expect(works({ reward: 'par' }, 'engine/index.ts', 'par')).toEqual(['engine/index.ts is no test']);
    expect(works({}, test, 'par')).toEqual(['it names no part']);
  });
  it('finds a missing reason, and refuses a specification that cannot run', () => {
    expect(faultsOf({ cluster: null, state: { status: 'none' } })).toEqual([
      'it does not say what is missing',
    ]);
    expect(faultsOf({ cluster: 1, state: { status: 'n/a', why: 'no' } })).toEqual(['it does not say why']);
    const spec = { ...(systemFacts.find((each) => each.spec)?.spec as object), method: { id: 'none-such' } };
    expect(() =>
      faultsOf({ cluster: 1, state: { status: 'expressible', spec: spec as never, differs: '' } }),
    ).toThrow("There is no method 'none-such'.");
    const plan = { status: 'expressible', plan: 'none-such', differs: 'in all that it does' } as const;
    expect(faultsOf({ cluster: 1, state: plan })).toEqual(['there is no plan none-such']);
  });
});
