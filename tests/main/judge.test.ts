import { describe, expect, it } from 'vitest';
import type { JudgeStatus } from '../../preload/contract/judge.ts';
import { clientOf } from '../support/client.ts';
import { rejected } from '../support/errors.ts';
import { isEven, judgedSet, preferred } from '../support/judged-set.ts';
import { servicesForTest } from '../support/workspace.ts';

const by = { labeler: 'me', seconds: 1, rationale: '' };

/** All that a page may know of a pair that is to be decided. */
const blind = ['answers', 'pairId', 'position', 'prompt'];

/** A workspace with the real engine and a set whose preference is planted. */
async function benchForTest(pairs = 160, even = 0) {
  const { services, api } = await servicesForTest({ engine: null });
  const set = await judgedSet(services.store, pairs, even);
  const client = clientOf(api);
  /** Decides the next pairs of the queue by the planted preference, or against it. */
  const label = async (count: number, isWrong = false): Promise<string[]> => {
    const decided: string[] = [];
    while (decided.length < count) {
      const [pair] = await client.labels.queue({ setId: set.id, count: 1 });
      const choice = preferred(pair.answers);
      const other = choice === 'left' ? 'right' : 'left';
      await client.labels.decide({ pairId: pair.pairId, verdict: isWrong ? other : choice, ...by });
      decided.push(pair.pairId);
    }
    return decided;
  };
  /** Fits now; the last status. */
  const fit = (): Promise<JudgeStatus> =>
    new Promise((resolve, reject) => {
      let last: JudgeStatus | null = null;
      client.judge.fit(
        { setId: set.id },
        (status) => (last = status),
        (error) => (error || !last ? reject(error as Error) : resolve(last)),
      );
    });
  return { services, client, set, label, fit, setId: set.id };
}

describe('the judge of a label set', () => {
  it('waits for fifty decisions', async () => {
    const { client, label, fit, setId } = await benchForTest();
    await label(49);
    expect(await client.judge.status({ setId })).toMatchObject({ state: 'waiting', decided: 49, fit: null });
    expect(await rejected(fit())).toMatchObject({ kind: 'invalid-input' });
  });

  it('learns a planted preference, and its fit survives a reopening', async () => {
    const { client, label, fit, setId, services } = await benchForTest();
    await label(80);
    const status = await fit();
    expect(status.fit?.labels).toBe(80);
    expect(status.fit?.accuracy).toBeGreaterThan(0.9);
    expect(status.fit?.interval?.[0]).toBeGreaterThan(0.8);
    expect(status.fit?.curve.map(({ labels }) => labels)).toEqual([25, 50, 80]);
    const { folder } = services;
    await services.close();
    await services.openWorkspace(folder);
    expect((await client.judge.status({ setId })).fit).toEqual(status.fit);
  });
});

describe('the order of a queue', () => {
  it('puts the pairs first on which the judge is unsure, and is kept', async () => {
    const { client, label, fit, setId, services } = await benchForTest(200, 0.2);
    await label(60);
    await client.judge.choose({ setId, settings: { order: 'uncertain' } });
    const status = await fit();
    expect(status.orderedAt).not.toBeNull();
    const shareOfEven = async (): Promise<number> => {
      const pairs = await client.labels.queue({ setId, count: 20 });
      return pairs.filter(({ answers }) => isEven(answers)).length / pairs.length;
    };
    // of all pairs, a fifth are even
    expect(await shareOfEven()).toBeGreaterThan(0.5);
    const before = await client.labels.queue({ setId, count: 20 });
    const { folder } = services;
    await services.close();
    await services.openWorkspace(folder);
    expect(await client.labels.queue({ setId, count: 20 })).toEqual(before);
  });

  it('is random until there is a judge', async () => {
    const { client, label, setId } = await benchForTest(60);
    const plain = await client.labels.queue({ setId, count: 20 });
    await client.judge.choose({ setId, settings: { order: 'uncertain' } });
    expect(await client.labels.queue({ setId, count: 20 })).toEqual(plain);
    await label(3);
    expect(await client.judge.status({ setId })).toMatchObject({ state: 'waiting', orderedAt: null });
  });

  it('follows the labels in the background while the set is open', async () => {
    const { client, label, setId } = await benchForTest(120);
    await client.judge.choose({ setId, settings: { order: 'novelty', every: 5 } });
    await label(50);
    const seen: JudgeStatus[] = [];
    const close = client.judge.live({ setId }, (status) => seen.push(status));
    const settled = (labels: number) =>
      expect
        .poll(() => seen.at(-1))
        .toMatchObject({ state: 'ready', fit: { labels }, orderedAt: expect.any(Number) as number });
    await settled(50);
    await label(4);
    await label(1);
    await settled(55);
    const open = await client.labelBulk.find({ setId, state: 'open' });
    await client.labelBulk.decide({ setId, positions: open.slice(0, 5), choice: 'left' });
    await settled(60);
    close();
  });

  it('refuses an order that does not exist, and parameters that do not fit', async () => {
    const { client, setId } = await benchForTest(4);
    const choose = (settings: object) => rejected(client.judge.choose({ setId, settings }));
    expect((await choose({ order: 'gold' })).kind).toBe('not-found');
    expect((await choose({ order: 'novelty', params: { ahead: 0 } })).where).toBe('params.ahead');
    expect((await choose({ model: { kind: 'checkpoint', id: 'gone' } })).kind).toBe('not-found');
  });
});

describe('a judge’s opinion', () => {
  it('is never part of an answer about an undecided pair', async () => {
    const { client, label, fit, setId } = await benchForTest(120);
    const [first] = await label(60);
    await client.judge.choose({ setId, settings: { order: 'uncertain' } });
    await fit();
    const [pair] = await client.labels.queue({ setId, count: 1 });
    for (const shown of [
      ...(await client.labels.queue({ setId, count: 50 })),
      await client.labels.pair({ pairId: pair.pairId }),
      ...(await client.judge.disagreements({ setId, count: 50 })).pairs,
    ])
      expect(Object.keys(shown).sort()).toEqual(blind);
    const { decisions } = await client.labels.review({ setId, limit: 200 });
    expect(decisions.find(({ pairId }) => pairId === first)?.judge).toBeGreaterThan(0);
    expect(decisions.map(({ pairId }) => pairId)).not.toContain(pair.pairId);
    expect(JSON.stringify(await client.judge.status({ setId }))).not.toContain(pair.pairId);
  });

  it('disappears with the decision that it is about', async () => {
    const { client, label, fit, setId } = await benchForTest(80);
    await label(60);
    await fit();
    const newest = async () => (await client.labels.review({ setId, limit: 1 })).decisions[0];
    const before = await newest();
    expect(before.judge).toBeDefined();
    await client.labels.undo({ setId });
    expect((await newest()).pairId).not.toBe(before.pairId);
    await client.labels.decide({ pairId: before.pairId, verdict: 'tie', ...by });
    expect((await newest()).judge).toBeUndefined();
  });

  it('against a decision puts its pair into the disagreements, until it is decided again', async () => {
    const { client, label, fit, setId } = await benchForTest(120);
    await label(70);
    const wrong = await label(3, true);
    await fit();
    const list = async () => {
      const { total, pairs } = await client.judge.disagreements({ setId, count: 50 });
      for (const pair of pairs) expect(Object.keys(pair).sort()).toEqual(blind);
      return { total, ids: pairs.map(({ pairId }) => pairId) };
    };
    const { total, ids } = await list();
    expect(total).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(wrong));
    expect(ids.length).toBeLessThan(20);
    const reviewed = await client.labels.review({ setId, filter: { disagrees: true }, limit: 2 });
    expect(reviewed.total).toBe(total);
    expect(reviewed.decisions.map(({ pairId }) => pairId)).toEqual(ids.slice(0, 2));
    const next = await client.labels.review({
      setId,
      filter: { disagrees: true },
      before: reviewed.decisions[1].sequence,
    });
    expect(next.decisions[0].pairId).toBe(ids[2]);
    await client.labels.decide({ pairId: ids[0], verdict: 'skip', ...by });
    expect((await list()).ids).toEqual(ids.slice(1));
    expect((await client.judge.disagreements({ setId, labeler: 'other' })).total).toBe(0);
  });
});
