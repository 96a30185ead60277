import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { createHeadToHead, headToHeadSets, headToHeadTable } from '../../main/use-cases/head-to-head.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

/** A run that wrote an answer to each problem in its last evaluation, and another in the one before. */
async function runOf(store: StoreClient, name: string, answers: readonly string[]): Promise<string> {
  const { id } = await store.runs.create(parsedSpec({ name }), []);
  await store.runs.beginAttempt(id, null);
  const evaluation = (step: number, textOf: (p: number) => string): EngineEvent => ({
    runId: id,
    attempt: 1,
    role: 'policy',
    step,
    sequence: step,
    at: 1000 + step,
    type: 'trajectories',
    rows: answers.map((_answer, p) =>
      trajectory({
        id: `${id}/${step}/${p}`,
        step,
        purpose: 'evaluation',
        promptId: `p${p}`,
        prompt: `Question ${p}?`,
        completion: textOf(p),
      }),
    ),
  });
  await store.events.commit([evaluation(1, () => 'an early answer'), evaluation(2, (p) => answers[p])]);
  return id;
}

const problems = Array.from({ length: 30 }, (_none, p) => p);

/** A comparison of three runs: A is better than B, B than C; the first five answers of all are the same. */
async function compared(pairs = 90) {
  const { store } = await workspaceForTest();
  const runIds: string[] = [];
  for (const name of ['A', 'B', 'C'])
    runIds.push(
      await runOf(
        store,
        name,
        problems.map((p) => (p < 5 ? `same ${p}` : `${name} ${p}`)),
      ),
    );
  const set = await createHeadToHead({ store }, { runIds, name: '', pairs, seed: 4 });
  return { store, runIds, set };
}

/** Decides every pair by a rule on its two answers: −1 for the first shown, 1 for the second, 0 for a tie. */
async function label(store: StoreClient, setId: string, rule: (left: string, right: string) => number) {
  const seen: string[] = [];
  for (;;) {
    const [item] = await store.labels.queue(setId, [], 1, 'me');
    if (!item) return seen;
    const [left, right] = item.answers;
    seen.push(`${left} | ${right}`);
    const order = rule(left, right);
    await store.labels.decide({
      pairId: item.pairId,
      verdict: order < 0 ? 'left' : order > 0 ? 'right' : 'tie',
      seconds: 1,
      labeler: 'me',
      rationale: '',
    });
  }
}

describe('a head-to-head of runs', () => {
  it('shows answers of the last evaluations in pairs of two runs, and counts equal ones as ties', async () => {
    const { store, set, runIds } = await compared();
    expect(set).toMatchObject({ name: 'Head-to-head: A, B, C', pairs: 75 });
    const table = await headToHeadTable({ store }, set.id);
    expect(table).toMatchObject({ pairs: 75, decided: 0, equal: 15, more: null });
    expect(table.duels.map(({ ties }) => ties)).toEqual([5, 5, 5]);
    const seen = await label(store, set.id, () => 0);
    expect(seen).toHaveLength(75);
    expect(seen.filter((each) => /early|same/.test(each))).toEqual([]);
    for (const each of seen) expect(each).toMatch(/^([ABC]) (\d+) \| (?!\1)[ABC] \2$/);
    expect((await headToHeadSets({ store }, runIds.slice(1))).map(({ id }) => id)).toEqual([set.id]);
    expect(await headToHeadSets({ store }, runIds.slice(0, 1))).toEqual([]);
  });

  it('finds who is better from blind labels, with rates and abilities in that order', async () => {
    const { store, runIds, set } = await compared();
    let turn = 0;
    // every fifteenth decision is against the order, so that abilities are finite
    await label(store, set.id, (left, right) => {
      turn += 1;
      return turn % 15 === 0 ? right.localeCompare(left) : left.localeCompare(right);
    });
    const { decided, duels, abilities, more } = await headToHeadTable({ store }, set.id);
    const [a, b, c] = runIds;
    expect(decided).toBe(75);
    for (const [better, worse] of [
      [a, b],
      [a, c],
      [b, c],
    ]) {
      const duel = duels.find((each) => [better, worse].every((id) => id === each.a || id === each.b));
      if (!duel) throw new Error('This pair was not compared.');
      expect(duel.aWins + duel.bWins).toBe(25);
      expect(duel.a === better ? duel.rate : 1 - duel.rate).toBeGreaterThan(0.6);
    }
    expect(abilities?.map(({ runId }) => runId)).toEqual([a, b, c]);
    expect(more).toBe(0);
  });

  it('says how many more decisions would tell runs apart, and why there are no abilities', async () => {
    const { store, set } = await compared();
    await label(store, set.id, (left, right) => left.localeCompare(right));
    const { abilities, reason } = await headToHeadTable({ store }, set.id);
    // the five equal answers are ties, which tie all runs together
    expect([abilities?.length, reason]).toEqual([3, null]);
    const runIds = [
      await runOf(
        store,
        'D',
        problems.map((p) => `D ${p}`),
      ),
      await runOf(
        store,
        'E',
        problems.map((p) => `E ${p}`),
      ),
    ];
    const other = await createHeadToHead({ store }, { runIds, name: 'two', pairs: 2, seed: 0 });
    await label(store, other.id, (left, right) => left.localeCompare(right));
    const table = await headToHeadTable({ store }, other.id);
    expect(table.abilities).toBeNull();
    expect(table.reason).toContain('never lost');
    expect(table.duels[0].interval[1], 'two wins of two leave it open').toBeGreaterThan(0.5);
    // (1.96 + .842)² · ¼ ∕ ½² = 7.85 comparisons, of which two are made
    expect(table.more).toBe(6);
  });

  it('refuses a run twice, runs without a shared problem, and equal answers only', async () => {
    const { store, runIds } = await compared();
    const create = (ids: readonly string[]) =>
      createHeadToHead({ store }, { runIds: ids, name: '', pairs: 10, seed: 0 });
    await expect(create([runIds[0], runIds[0]])).rejects.toMatchObject({ kind: 'invalid-input' });
    const { id: empty } = await store.runs.create(parsedSpec({ name: 'empty' }), []);
    await expect(create([runIds[0], empty])).rejects.toThrow('share no problem');
    const before = (await store.datasets.list()).length;
    const twin = await runOf(
      store,
      'A',
      problems.map((p) => (p < 5 ? `same ${p}` : `A ${p}`)),
    );
    await expect(create([runIds[0], twin])).rejects.toThrow('the same answer in every comparison');
    expect(await store.datasets.list(), 'nothing is left of it').toHaveLength(before);
  });
});
