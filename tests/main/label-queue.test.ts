import { describe, expect, it } from 'vitest';
import { judgedSet } from '../support/judged-set.ts';
import { workspaceForTest } from '../support/workspace.ts';

const by = { seconds: 1, labeler: 'me', rationale: '' };

/** A set of pairs of which some have places, in this order of their positions. */
async function queueForTest(pairs: number, places: readonly number[]) {
  const { store } = await workspaceForTest();
  const { id } = await judgedSet(store, pairs);
  const order = { settings: '{}', sequence: 0, fitSequence: null, candidates: 3 };
  await store.labelJudge.setOrder(id, order, Float64Array.from(places));
  const positions = async (count = pairs, after: readonly string[] = [], labeler = 'me') =>
    (await store.labels.queue(id, after, count, labeler)).map(({ position }) => position);
  const next = async (labeler = 'me') => (await store.labels.queue(id, [], 1, labeler))[0];
  return { store, id, positions, next };
}

describe('the queue of a label set', () => {
  it('serves items with a place in their order, then the others by position', async () => {
    const { positions } = await queueForTest(6, [4, 1, 5]);
    expect(await positions()).toEqual([4, 1, 5, 0, 2, 3]);
    expect(await positions(4)).toEqual([4, 1, 5, 0]);
  });

  it('leaves out labeled items, and those that the page holds', async () => {
    const { store, positions, next, id } = await queueForTest(6, [4, 1, 5]);
    await store.labels.decide({ pairId: (await next()).pairId, verdict: 'left', ...by });
    const [held] = await store.labels.queue(id, [], 1);
    expect(await positions(6, [held.pairId])).toEqual([5, 0, 2, 3]);
  });

  it('gets an item back at its place when its decision is undone', async () => {
    const { store, positions, next, id } = await queueForTest(5, [3, 2]);
    await store.labels.decide({ pairId: (await next()).pairId, verdict: 'tie', ...by });
    expect(await positions()).toEqual([2, 0, 1, 4]);
    await store.labels.undo(id, 'me');
    expect(await positions()).toEqual([3, 2, 0, 1, 4]);
  });

  it('serves every labeler whom an item wants, each once', async () => {
    const { store, positions, next, id } = await queueForTest(4, [2]);
    await store.labelSets.setOptions(id, { overlap: 2 });
    for (const labeler of ['ann', 'bob']) {
      expect((await next(labeler)).position).toBe(2);
      await store.labels.decide({ pairId: (await next(labeler)).pairId, verdict: 'left', ...by, labeler });
      expect(await positions(4, [], labeler)).toEqual([0, 1, 3]);
    }
    expect(await positions(4, [], 'cleo')).toEqual([0, 1, 3]);
  });

  it('serves first what another labeler began, where items want several', async () => {
    const { store, positions, next, id } = await queueForTest(5, [4, 3]);
    await store.labelSets.setOptions(id, { overlap: 2 });
    for (const verdict of ['left', 'right'] as const)
      await store.labels.decide({ pairId: (await next('ann')).pairId, verdict, ...by, labeler: 'ann' });
    await store.labelJudge.clearOrder(id);
    expect(await positions(5, [], 'bob')).toEqual([3, 4, 0, 1, 2]);
    expect(await positions(3, [], 'ann')).toEqual([0, 1, 2]);
  });

  it('takes another order, and is random again without one', async () => {
    const { store, id, positions } = await queueForTest(4, [2]);
    const order = { settings: '{}', sequence: 0, fitSequence: null, candidates: 3 };
    await store.labelJudge.setOrder(id, order, Float64Array.of(3, 1));
    expect(await positions()).toEqual([3, 1, 0, 2]);
    await store.labelJudge.clearOrder(id);
    expect(await positions()).toEqual([0, 1, 2, 3]);
  });
});
