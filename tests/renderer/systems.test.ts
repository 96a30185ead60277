import { describe, expect, it, test } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { systemClusters, systemFacts } from '../../engine/index.ts';
import {
  axisOf,
  countsOf,
  filterOf,
  foundSystems,
  groupsOf,
  hasFilter,
  methodOf,
  systemHref,
  type Systems,
} from '../../renderer/features/systems/systems.ts';
import { AtlasState } from '../../renderer/views/atlas.svelte.ts';

const found = (query: Readonly<Record<string, string>>) => foundSystems(systemFacts, filterOf(query));
const namesOf = (query: Readonly<Record<string, string>>) => found(query).map(({ name }) => name);

describe('the filter of the Atlas', () => {
  it('without values passes every system, and is empty', () => {
    expect(found({})).toHaveLength(systemFacts.length);
    expect([hasFilter(filterOf({})), hasFilter(filterOf({ cluster: '3' }))]).toEqual([false, true]);
  });
  it('finds every word in name, paper, mechanism, evidence or part, in any order and case', () => {
    expect(namesOf({ q: 'Preference TRIPLE' })).toContain('TPO (triple preference)');
    expect(namesOf({ q: 'knapsack.' })).toEqual([]);
    expect(namesOf({ q: 'dapo-bytedance' })).toContain('EVOL-RL');
    expect(namesOf({ q: '  ' })).toHaveLength(systemFacts.length);
  });
  it('takes state, class and cluster together, and `none` for systems of no cluster', () => {
    const both = found({ class: 'core', cluster: '5' });
    expect(both.length).toBeGreaterThan(0);
    expect(new Set(both.map((each) => `${each.class} ${each.cluster}`))).toEqual(new Set(['core 5']));
    expect(new Set(found({ cluster: 'none' }).map(({ cluster }) => cluster))).toEqual(new Set([null]));
    expect(found({ state: 'unknown' })).toEqual([]);
  });
  it('counts each state under the rest of the filter, whatever state is chosen', () => {
    const all = countsOf(systemFacts, filterOf({}));
    expect(Object.values(all).reduce((sum, count) => sum + count)).toBe(systemFacts.length);
    expect(countsOf(systemFacts, filterOf({ state: 'works' }))).toEqual(all);
    expect(countsOf(systemFacts, filterOf({ q: 'no such system' }))).toEqual({
      works: 0,
      expressible: 0,
      none: 0,
      'n/a': 0,
    });
  });
  it('is in the address of each system, without empty values', () => {
    expect(systemHref('tpo', filterOf({ state: 'n/a', q: 'a b' }))).toBe('#/atlas/tpo?q=a+b&state=n%2Fa');
    expect(systemHref(null, filterOf({}))).toBe('#/atlas');
  });
});

describe('the list', () => {
  it('has every system once, under its cluster', () => {
    const groups = groupsOf(systemFacts, systemClusters);
    expect(groups.map(({ title }) => title)).toEqual([
      ...systemClusters.map(({ id, title }) => `${id}. ${title}`),
      'Of no cluster',
    ]);
    expect(groups.flatMap(({ systems }) => systems).map(({ id }) => id)).toEqual(
      expect.arrayContaining(systemFacts.map(({ id }) => id)),
    );
    expect(groupsOf([], systemClusters)).toEqual([]);
  });
  it('leads to the method with its preset, and nowhere without a method', () => {
    const method = { kind: 'method', id: 'tpo' } as const;
    expect(methodOf({ parts: [method] })).toEqual({ id: 'tpo' });
    expect(methodOf({ parts: [method, { kind: 'preset', id: 'tpo-l' }] })).toEqual({
      id: 'tpo',
      preset: 'tpo-l',
    });
    expect(methodOf({ parts: [{ kind: 'reward', id: 'par' }] })).toBeNull();
  });
});

test('claims of one measure share an axis, which includes 0', () => {
  const share = { measure: 'share', interval: [0.1, 0.4] as [number, number] };
  const updates = { measure: 'updates', interval: [-606, -322] as [number, number] };
  const claims = [share, updates, { measure: 'share', interval: [0.2, 0.7] as [number, number] }];
  expect(axisOf(share, claims)).toEqual([0, 0.7]);
  expect(axisOf(updates, claims)).toEqual([-606, 0]);
});

test('systems that could not be loaded leave the reason, and are loaded again', async () => {
  const systems: Systems = { systems: [...systemFacts], clusters: [...systemClusters], toys: {} };
  const answers = [Promise.reject(new WhetstoneError('internal', 'The services ended.')), systems];
  const view = new AtlasState({
    systems: () => Promise.resolve(answers.shift() ?? systems),
    runToy: () => {
      throw new Error('no toy run was asked for');
    },
  });
  await view.load();
  expect([view.error?.message, view.facts]).toEqual(['The services ended.', null]);
  await view.load();
  expect([view.error, view.facts]).toEqual([null, systems]);
});
