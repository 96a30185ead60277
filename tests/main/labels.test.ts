import { describe, expect, it } from 'vitest';
import { makePairs, type Answer } from '../../main/store/pairing.ts';
import { rejected } from '../support/errors.ts';
import { datasetForTest, workspaceForTest } from '../support/workspace.ts';

const choice = { name: '', pairsPerPrompt: 4, onlyDiffering: false, seed: 1 };
const by = { seconds: 1, labeler: 'me', rationale: '' };

async function setForTest(onlyDiffering = false) {
  const { store } = await workspaceForTest();
  const datasetId = await datasetForTest(store);
  const set = await store.labelSets.create({ ...choice, onlyDiffering, from: { kind: 'dataset', datasetId } });
  return { store, set, datasetId };
}

describe('pairing', () => {
  const answers = (texts: readonly [text: string, correct: boolean | null][]): Answer[] => texts.map(([text, correct], i) => ({ origin: String(i), promptId: 'p', prompt: '?', text, correct }));

  it('never pairs equal texts, and counts a repeated text once', () => {
    expect(makePairs(answers([['x', true], ['x', false], ['x', null]]), { pairsPerPrompt: 9, onlyDiffering: false, seed: 0 })).toEqual([]);
    expect(makePairs(answers([['x', true], ['x', true], ['y', false]]), { pairsPerPrompt: 9, onlyDiffering: false, seed: 0 })).toHaveLength(1);
  });
  it('keeps to the cap of each prompt, and to pairs of right and wrong where asked', () => {
    const five = answers([['a', true], ['b', false], ['c', null], ['d', true], ['e', false]]);
    expect(makePairs(five, { pairsPerPrompt: 3, onlyDiffering: false, seed: 0 })).toHaveLength(3);
    const differing = makePairs(five, { pairsPerPrompt: 100, onlyDiffering: true, seed: 0 });
    expect(differing).toHaveLength(4);
    expect(differing.every((p) => p.a.correct !== p.b.correct && p.a.correct !== null && p.b.correct !== null)).toBe(true);
  });
  it('draws sides evenly, and the same ones for the same seed', () => {
    const many = Array.from({ length: 400 }, (_none, i): Answer => ({ origin: String(i), promptId: `p${i >> 1}`, prompt: '?', text: String(i), correct: null }));
    const sides = (seed: number) => makePairs(many, { pairsPerPrompt: 1, onlyDiffering: false, seed }).map((p) => `${p.a.origin}${p.leftIs}`);
    expect(sides(3)).toEqual(sides(3));
    expect(sides(3)).not.toEqual(sides(4));
    const texts = (from: readonly Answer[]) => makePairs(from, { pairsPerPrompt: 1, onlyDiffering: false, seed: 3 }).map(({ a, b, leftIs }) => [a.text, b.text, leftIs]);
    expect(texts(many.map((answer) => ({ ...answer, origin: `stored again as ${answer.origin}` })))).toEqual(texts(many));
    const left = sides(3).filter((s) => s.endsWith('a')).length;
    expect(left).toBeGreaterThan(70);
    expect(left).toBeLessThan(130);
  });
});

describe('labels', () => {
  it('say which stored answer won, whatever side it was shown on', async () => {
    const { store, set } = await setForTest();
    for (const shown of await store.labels.queue(set.id, [], 50)) await store.labels.decide({ pairId: shown.pairId, verdict: 'left', ...by });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 50);
    for (const pair of pairs) expect((await store.labels.pair(pair.pairId)).left).toBe(pair.verdict === 'a' ? pair.a : pair.b);
    expect(new Set(pairs.map((p) => p.verdict))).toEqual(new Set(['a', 'b']));
    expect((await store.labels.progress(set.id)).leftShare).toBe(1);
  });

  it('leave the queue when they are decided, and skip what the page already holds', async () => {
    const { store, set } = await setForTest();
    const [first, second, third] = await store.labels.queue(set.id, [], 3);
    await store.labels.decide({ pairId: first.pairId, verdict: 'tie', ...by });
    expect((await store.labels.queue(set.id, [second.pairId], 1))[0].pairId).toBe(third.pairId);
  });

  it('are a log: a correction and an undo are events, and an undo brings back what stood before', async () => {
    const { store, set } = await setForTest();
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    await store.labels.decide({ pairId, verdict: 'both-bad', ...by });
    await store.labels.decide({ pairId, verdict: 'skip', ...by });
    expect((await store.labels.undo(set.id, 'me'))?.pairId).toBe(pairId);
    expect((await store.labels.recent(set.id, 5)).map((d) => d.verdict)).toEqual(['both-bad']);
    expect((await store.labels.undo(set.id, 'me'))?.pairId).toBe(pairId);
    expect(await store.labels.undo(set.id, 'me')).toBeNull();
    expect((await store.labels.history(pairId)).map((e) => [e.event, e.verdict])).toEqual([['label', 'both-bad'], ['correction', 'skip'], ['undo', null], ['undo', null]]);
    expect((await store.labels.queue(set.id, [], 1))[0].pairId).toBe(pairId);
    await store.labels.decide({ pairId, verdict: 'tie', ...by });
    expect((await store.labels.history(pairId)).at(-1)?.event).toBe('label');
  });

  it('of one labeler are not undone by another', async () => {
    const { store, set } = await setForTest();
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    await store.labels.decide({ pairId, verdict: 'left', ...by });
    expect(await store.labels.undo(set.id, 'somebody else')).toBeNull();
    expect((await store.labels.progress(set.id)).labeled).toBe(1);
  });

  it('of a program are stored all together or not at all', async () => {
    const { store, set } = await setForTest();
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    const error = await rejected(store.labels.decideMany('script', [{ pairId: pairs[0].pairId, verdict: 'a' }, { pairId: 'nobody', verdict: 'b' }]));
    expect(error.kind).toBe('not-found');
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
    expect((await store.labels.decideMany('script', pairs.map((p) => ({ pairId: p.pairId, verdict: 'b' })))).labeled).toBe(pairs.length);
  });

  it.each(['tie', 'skip', 'both-bad'] as const)('that all say %j are refused as something to learn from, by the set’s name', async (verdict) => {
    const { store, set } = await setForTest();
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    await store.labels.decideMany('script', pairs.map((p) => ({ pairId: p.pairId, verdict })));
    const error = await rejected(store.labelSets.exportPreferences(set.id));
    expect(error).toMatchObject({ kind: 'invalid-input', where: set.id, hint: expect.stringContaining('Label screen') as string });
    expect(error.message).toContain(set.name);
    await store.labels.decideMany('script', [{ pairId: pairs[0].pairId, verdict: 'a' }]);
    expect((await store.labelSets.exportPreferences(set.id)).bytes).toBeGreaterThan(0);
  });

  it('keep their dataset from being removed, and name what is in the way', async () => {
    const { store, datasetId, set } = await setForTest();
    const error = await rejected(store.datasets.remove(datasetId));
    expect(error.kind).toBe('conflict');
    expect(error.message).toContain(set.name);
    await store.labelSets.remove(set.id);
    await store.datasets.remove(datasetId);
    expect(await store.datasets.list()).toEqual([]);
  });
});
