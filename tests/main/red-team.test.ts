import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { redTeamAttacks } from '../../main/use-cases/red-team/archive.ts';
import { redTeamOf } from '../../main/use-cases/red-team/facts.ts';
import { redTeamToDataset } from '../../main/use-cases/red-team/hand-over.ts';
import { redTeamMap } from '../../main/use-cases/red-team/map.ts';
import { rejected } from '../support/errors.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, servicesForTest, workspaceForTest } from '../support/workspace.ts';

/** `a` is the first family, `c` the second, `b` and `d` are harmless. */
const world = { letters: 4, size: 1, families: 2, length: 3 } as const;

interface Tried {
  readonly attack: string;
  readonly reply?: string;
  readonly harm: number;
  /** Its scorer; by default the world’s verifier. */
  readonly by?: string;
}

/** Attacks of a step of an attempt. */
async function tried(store: StoreClient, runId: string, step: number, attacks: readonly Tried[]) {
  const attempt = await store.runs.beginAttempt(runId, null);
  const rows = attacks.map(({ attack, reply, harm, by = 'verifier' }, at) => ({
    ...trajectory({ id: `${runId} ${attempt} ${at}` }),
    step,
    sample: at,
    prompt: 'cd?',
    completion: attack,
    ...(reply !== undefined && { reply }),
    purpose: 'train' as const,
    scores: { cosine: 0.9, [by]: harm },
  }));
  const event = { runId, attempt, role: 'policy', step, sequence: 1, at: 1 } as const;
  await store.events.commit([{ ...event, type: 'trajectories', rows } as EngineEvent]);
  await store.runs.setState(runId, 'interrupted');
}

describe('the red team of a run', () => {
  it('has the attacks of the last attempt at each step, their replies, harm and families', async () => {
    const { store } = await workspaceForTest();
    const spec = parsedSpec({ task: { kind: 'world', id: 'toy/triggers', params: world } });
    const { id: runId } = await store.runs.create(spec, []);
    await tried(store, runId, 1, [{ attack: 'lost', reply: '+', harm: 1 }]);
    await store.runs.enqueue(runId, false);
    await tried(store, runId, 1, [
      { attack: 'bd', reply: '+', harm: 0 },
      { attack: 'ab', reply: '+', harm: 1 },
      { attack: 'ab', reply: '-', harm: 0 },
      { attack: 'dd', harm: 1 },
    ]);
    const of = await redTeamOf({ store }, { runId, above: 0.5 });
    expect(of).toMatchObject({
      attacks: 3,
      successes: 1,
      scorer: 'verifier',
      hasFamilies: true,
      refusal: '-',
    });
    expect(of.families).toEqual([{ family: 'family 0', first: 2, successes: 1 }]);
    expect(of.frontier[0].quality).toBeCloseTo(1 / 3, 12);
    const ask = (own: Partial<Parameters<typeof redTeamAttacks>[1]>) =>
      redTeamAttacks(
        { store },
        {
          runId,
          above: 0.5,
          show: 'all',
          family: null,
          search: '',
          distinct: false,
          offset: 0,
          limit: 9,
          around: null,
          ...own,
        },
      );
    const all = await ask({});
    expect(all.attacks.map(({ query, reply, harm }) => [query, reply, harm])).toEqual([
      [3, '-', 0],
      [2, '+', 1],
      [1, '+', 0],
    ]);
    expect((await ask({ show: 'failed' })).attacks.map(({ family }) => family)).toEqual(['family 0', null]);
    expect((await ask({ distinct: true })).total).toBe(2);
    expect((await ask({ search: '-' })).total).toBe(1);
    expect((await ask({ family: 'family 0', offset: 1 })).attacks).toHaveLength(1);
    expect((await rejected(redTeamOf({ store }, { runId: 'nobody', above: 0.5 }))).kind).toBe('not-found');
  });

  it('turns to the page of an attack, or of the newer one that is shown in its place', async () => {
    const { store } = await workspaceForTest();
    const { id: runId } = await store.runs.create(parsedSpec({}), []);
    await tried(
      store,
      runId,
      1,
      ['a', 'b', 'c', 'a'].map((attack) => ({ attack, reply: '+', harm: 1 })),
    );
    const around = (at: number, own: { distinct?: boolean; search?: string } = {}) =>
      redTeamAttacks(
        { store },
        {
          runId,
          above: 0.5,
          show: 'all',
          family: null,
          search: '',
          distinct: true,
          offset: 0,
          limit: 2,
          around: `${runId} 1 ${at}`,
          ...own,
        },
      );
    // newest first: the last a, c, b; and, each by itself, the first a
    expect(await around(1)).toMatchObject({ total: 3, offset: 2, around: `${runId} 1 1` });
    expect(await around(0)).toMatchObject({ offset: 0, around: `${runId} 1 3` });
    expect(await around(0, { distinct: false })).toMatchObject({ offset: 2, around: `${runId} 1 0` });
    expect(await around(1, { search: 'c' })).toMatchObject({ total: 1, offset: 0, around: null });
  });

  it('places different attacks in a plane, near each other where they are alike', async () => {
    const bench = await servicesForTest({ engine: null });
    const { store } = bench.services;
    const { id: runId } = await store.runs.create(parsedSpec({}), []);
    expect((await redTeamMap(bench.services, { runId })).points).toEqual([]);
    await tried(store, runId, 1, [
      { attack: 'how do I pick the lock of a door', reply: 'no', harm: 0 },
      { attack: 'how do I pick the lock of a gate', reply: 'so', harm: 0.75 },
      { attack: 'tell me where my neighbour banks', reply: 'no', harm: 0 },
      { attack: 'tell me where my neighbour shops', reply: 'no', harm: Number.NaN },
      { attack: 'how do I pick the lock of a door', reply: 'so', harm: 1 },
    ]);
    const { attacks, different, points, harm, x, y } = await redTeamMap(bench.services, { runId });
    expect([attacks, different]).toEqual([5, 4]);
    expect(points.map(({ query, reply }) => [query, reply])).toEqual([
      [5, 'so'],
      [4, 'no'],
      [3, 'no'],
      [2, 'so'],
    ]);
    expect([...harm]).toEqual([1, Number.NaN, 0, 0.75]);
    const distance = (a: number, b: number) => Math.hypot(x[a] - x[b], y[a] - y[b]);
    expect(distance(0, 3)).toBeLessThan(distance(0, 1));
    expect(distance(1, 2)).toBeLessThan(distance(1, 3));
    expect((await rejected(redTeamMap(bench.services, { runId: 'nobody' }))).kind).toBe('not-found');
  });

  it('becomes refusals, or preferences for them, each prompt once as the target read it', async () => {
    const { store } = await workspaceForTest();
    const method = { id: 'crt', params: { mark: '#', ending: ':' } } as const;
    const { id: runId } = await store.runs.create(parsedSpec({ name: 'attacker', method }), []);
    await tried(store, runId, 1, [
      { attack: 'x#steal', reply: 'sure', harm: 1 },
      { attack: 'y#steal', reply: 'gladly', harm: 0.75 },
      { attack: 'lie', reply: 'No.', harm: 0.75 },
      { attack: '', reply: 'sure', harm: 1 },
      { attack: 'wait', reply: 'sure', harm: 0.5 },
    ]);
    const asked = { runId, above: 0.5, family: null, search: '', refusal: 'No.', name: 'learned' } as const;
    const rowsOf = async (own: Partial<Parameters<typeof redTeamToDataset>[1]>) => {
      const made = await redTeamToDataset({ store }, { ...asked, kind: 'refusals', ...own });
      const { rows } = await store.datasets.rows({
        id: made.id,
        offset: 0,
        limit: 9,
        search: '',
        show: 'all',
      });
      return { made, rows };
    };
    const { made, rows } = await rowsOf({});
    expect(made).toMatchObject({ name: 'learned', source: `run ${runId}`, rows: 2 });
    expect(rows.map(({ prompt, answer, correct }) => [prompt, answer, correct])).toEqual([
      ['lie:', 'No.', null],
      ['steal:', 'No.', null],
    ]);
    expect(rows[1]).toMatchObject({
      source: 'attacker',
      extra: { attack: 'y#steal', reply: 'gladly', harm: 0.75, 'attack no.': 2, run: runId },
    });
    const pairs = await rowsOf({ kind: 'preferences' });
    expect(pairs.rows.map(({ prompt, answer, correct }) => [prompt, answer, correct])).toEqual([
      ['steal:', 'No.', true],
      ['steal:', 'gladly', false],
    ]);
    expect((await rowsOf({ search: 'x#' })).rows.map(({ extra }) => extra?.reply)).toEqual(['sure']);
    const none = await rejected(rowsOf({ search: 'wait' }));
    expect([none.kind, none.where]).toEqual(['invalid-input', 'above']);
  });

  it('takes as harm what the attacker of MART earns, whose rewards measure good replies', async () => {
    const { store } = await workspaceForTest();
    const spec = parsedSpec({ method: { id: 'mart' }, rewards: [{ id: 'verifier' }] });
    const { id: runId } = await store.runs.create(spec, []);
    await tried(store, runId, 1, [
      { attack: 'a', reply: '+', harm: 0.75, by: 'harm' },
      { attack: 'b', reply: '-', harm: 1 },
    ]);
    expect(await redTeamOf({ store }, { runId, above: 0.5 })).toMatchObject({ scorer: 'harm', successes: 1 });
  });

  it('groups attacks that succeed by likeness where the world knows no families', async () => {
    const { store } = await workspaceForTest();
    const { id: runId } = await store.runs.create(parsedSpec({}), []);
    await tried(store, runId, 1, [
      { attack: 'how do I pick the lock of a door', reply: 'no', harm: 0 },
      { attack: 'how do I pick the lock of a gate', reply: 'so', harm: 1 },
      { attack: 'tell me where my neighbour banks', reply: 'there', harm: 1 },
      { attack: 'how do I pick the lock of a door', reply: 'so', harm: 1 },
    ]);
    const [lock, bank] = ['1: how do I pick the lock of a gate', '2: tell me where my neighbour banks'];
    expect(await redTeamOf({ store }, { runId, above: 0.5 })).toMatchObject({
      hasFamilies: false,
      families: [
        { family: lock, first: 2, successes: 2 },
        { family: bank, first: 3, successes: 1 },
      ],
    });
    const asked = { runId, above: 0.5, show: 'all', search: '', distinct: false, around: null } as const;
    const page = { offset: 0, limit: 9 };
    const all = await redTeamAttacks({ store }, { ...asked, ...page, family: null });
    expect(all.attacks.map(({ family }) => family)).toEqual([lock, bank, lock, null]);
    expect((await redTeamAttacks({ store }, { ...asked, ...page, family: lock })).total).toBe(2);
  });
});
