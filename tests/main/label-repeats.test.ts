import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, goldOf } from '../../main/services/label-consensus.ts';
import { openFolder } from '../../main/store/folder.ts';
import { rejected } from '../support/errors.ts';
import { labelAll, pairsForTest, setOf, type Judge } from '../support/label-quality.ts';

const shorter: Judge = ({ answers: [left, right] }) => (left <= right ? 'left' : 'right');
/** The texts of an item, whatever their sides. */
const textsOf = ({ prompt, answers }: { prompt: string; answers: readonly string[] }): string =>
  JSON.stringify([prompt, [...answers].sort()]);

describe('hidden repeats', () => {
  it('come up at about the chosen share, at least k items after the first decision, each item once at most', async () => {
    const { store, set } = await pairsForTest(120, { repeats: 0.2, repeatAfter: 10 });
    const shown = await labelAll(store, set.id, 'ann', shorter);
    const texts = shown.map(textsOf);
    const seconds = texts.flatMap((text, at) => (texts.indexOf(text) < at ? [at] : []));
    expect(shown).toHaveLength(120 + seconds.length);
    expect(seconds.length / shown.length).toBeGreaterThan(0.15);
    expect(seconds.length / shown.length).toBeLessThan(0.22);
    for (const at of seconds) expect(at - texts.indexOf(texts[at])).toBeGreaterThanOrEqual(10);
    expect(new Set(seconds.map((at) => texts[at])).size).toBe(seconds.length);
    const flipped = seconds.filter(
      (at) => shown[at].answers[0] !== shown[texts.indexOf(texts[at])].answers[0],
    );
    expect(flipped.length).toBeGreaterThan(0);
    expect(flipped.length).toBeLessThan(seconds.length);
  });

  it('are of the same shape as new items, with ids of their own that tell nothing of their time', async () => {
    const { store, set } = await pairsForTest(60, { repeats: 0.3, repeatAfter: 5, gold: 0.2 });
    await store.labelQuality.goldFromMarks(set.id);
    const shown = await labelAll(store, set.id, 'ann', shorter);
    const stored = (await store.labelSets.pairs(set.id, 0, 1000)).pairs.map(({ pairId }) => pairId);
    const repeats = shown.filter(({ pairId }) => !stored.includes(pairId));
    expect(repeats.length).toBeGreaterThan(10);
    expect(new Set(shown.map(({ pairId }) => pairId)).size).toBe(shown.length);
    for (const item of shown) {
      expect(Object.keys(item)).toEqual(['pairId', 'position', 'prompt', 'answers']);
      expect(item.position).toBe(0);
      expect(stored.some((id) => id.slice(0, 13) === item.pairId.slice(0, 13))).toBe(true);
    }
    const responses = [];
    for (const pairId of [repeats[0].pairId, stored[0]])
      responses.push([
        Object.keys(await store.labels.pair(pairId, 'ann')),
        await store.labels.reference(pairId),
      ]);
    const shape = [['pairId', 'position', 'prompt', 'answers', 'before'], { reference: null }];
    expect(responses).toEqual([shape, shape]);
    const decision = { pairId: repeats[0].pairId, verdict: 'left' as const, labeler: 'ben', seconds: 1 };
    const refused = await rejected(store.labels.decide({ ...decision, rationale: '' }));
    expect(refused.kind).toBe('invalid-input');
  });

  it('count like other decisions where the labeler looks, and not as labeled items of the set', async () => {
    const { store, set } = await pairsForTest(60, { repeats: 0.2, repeatAfter: 5 });
    const counts: (readonly [number, number])[] = [];
    const shown = await labelAll(store, set.id, 'ann', (item) => shorter(item), 1);
    expect(await store.labelSets.get(set.id)).toMatchObject({ pairs: 60, labeled: 60, decided: 60 });
    expect(await store.labels.labelers(set.id)).toEqual([{ labeler: 'ann', labeled: 60 }]);
    expect(await store.labels.progress(set.id, 'ann')).toMatchObject({
      pairs: shown.length,
      labeled: shown.length,
      mine: shown.length,
    });
    for (let undone = 0; undone < shown.length; undone += 1) {
      await store.labels.undo(set.id, 'ann');
      const { labeled, pairs } = await store.labels.progress(set.id, 'ann');
      counts.push([labeled, pairs]);
    }
    expect(counts.map(([labeled]) => labeled)).toEqual(shown.map((_item, at) => shown.length - 1 - at));
    expect(new Set(counts.map(([, pairs]) => pairs))).toEqual(new Set([shown.length]));
  });

  it('that are decided otherwise leave the first label, and both are in the history of the item', async () => {
    const { store, set } = await pairsForTest(40, { repeats: 0.3, repeatAfter: 3 });
    const seen = new Set<string>();
    const fickle: Judge = (item) => {
      const isAgain = seen.has(textsOf(item));
      seen.add(textsOf(item));
      return isAgain === (shorter(item) === 'left') ? 'right' : 'left';
    };
    await labelAll(store, set.id, 'ann', fickle);
    const { repeats } = await factsOf(store.labelQuality, set.id);
    expect(repeats.length).toBeGreaterThan(5);
    expect(repeats.every(({ first, again }) => first !== again)).toBe(true);
    const { decisions, total } = await store.labelReview.page({
      setId: set.id,
      filter: { about: 'changed' },
      before: null,
      limit: 200,
    });
    expect(total).toBe(repeats.length);
    for (const { choice, again } of decisions) expect([choice, again].sort()).toEqual(['left', 'right']);
    const { pairs } = await store.labelSets.pairs(set.id, 0, 1000);
    for (const { pairId, first } of repeats) {
      expect(pairs.find((pair) => pair.pairId === pairId)?.verdict).toBe(first);
      const roles = (await store.labels.history(pairId)).map(({ event, role }) => [event, role]);
      expect(roles).toEqual([
        ['label', undefined],
        ['label', 'repeat'],
      ]);
    }
  });

  it('wait for the labeler after a reload, and are undone, redone and corrected like labels', async () => {
    const { store, set } = await pairsForTest(30, { repeats: 0.5, repeatAfter: 2 });
    const shown = await labelAll(store, set.id, 'ann', shorter, 1);
    const last = shown[shown.length - 1];
    const undone = await store.labels.undo(set.id, 'ann');
    expect(undone).toMatchObject({
      pairId: last.pairId,
      answers: last.answers,
      before: { choice: shorter(last) },
    });
    expect(await store.labels.queue(set.id, [], 5, 'ann')).toEqual([last]);
    expect(await store.labels.redo(set.id, 'ann')).toMatchObject({ pairId: last.pairId });
    expect(await store.labels.queue(set.id, [], 5, 'ann')).toEqual([]);
    const decision = { pairId: last.pairId, labeler: 'ann', seconds: 1, rationale: '' };
    await store.labels.decide({ ...decision, verdict: 'tie' });
    expect((await store.labels.recent(set.id, 1, 'ann'))[0]).toMatchObject({
      pairId: last.pairId,
      choice: 'tie',
    });
    const { repeats } = await factsOf(store.labelQuality, set.id);
    expect(repeats.at(-1)?.again).toBe('tie');
  });

  it('do not outlive the decision that they repeat, and come again after it is given again', async () => {
    const { store, set } = await pairsForTest(30, { repeats: 0.5, repeatAfter: 2 });
    const decideNext = async () => {
      const [item] = await store.labels.queue(set.id, [], 1, 'ann');
      const decision = { verdict: shorter(item), labeler: 'ann', seconds: 1, rationale: '' };
      await store.labels.decide({ pairId: item.pairId, ...decision });
      return textsOf(item);
    };
    const decided: string[] = [];
    // until a repeat waits
    for (;;) {
      const [next] = await store.labels.queue(set.id, [], 1, 'ann');
      if (decided.includes(textsOf(next))) break;
      decided.push(await decideNext());
    }
    const waits = textsOf((await store.labels.queue(set.id, [], 1, 'ann'))[0]);
    while (decided.includes(waits)) {
      await store.labels.undo(set.id, 'ann');
      decided.pop();
    }
    const [original] = await store.labels.queue(set.id, [], 1, 'ann');
    expect(textsOf(original)).toBe(waits);
    const all = await store.labels.queue(set.id, [], 60, 'ann');
    expect(all.filter((item) => textsOf(item) === waits)).toHaveLength(1);
    const again: string[] = [];
    while (again.filter((text) => text === waits).length < 2) again.push(await decideNext());
    expect(again.lastIndexOf(waits) - again.indexOf(waits)).toBeGreaterThan(2);
  });

  it('never lose or double a label, whatever is decided, undone and repeated', async () => {
    const { store, datasetId } = await pairsForTest(20);
    const step = fc.constantFrom('left', 'right', 'tie', 'undo', 'redo');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const set = await setOf(store, datasetId, { repeats: 0.4, repeatAfter: 2 });
        const done: string[] = [];
        const undone: string[] = [];
        for (const each of steps) {
          if (each === 'undo') {
            const item = await store.labels.undo(set.id, 'ann');
            expect(item?.pairId).toBe(done.at(-1));
            if (done.length > 0) undone.push(done.pop() ?? '');
          } else if (each === 'redo') {
            const again = await store.labels.redo(set.id, 'ann');
            expect(again?.pairId).toBe(undone.at(-1));
            if (undone.length > 0) done.push(undone.pop() ?? '');
          } else {
            const [item] = await store.labels.queue(set.id, [], 1, 'ann');
            if (!item) continue;
            await store.labels.decide({
              pairId: item.pairId,
              verdict: each,
              labeler: 'ann',
              seconds: 1,
              rationale: '',
            });
            done.push(item.pairId);
            undone.length = 0;
          }
        }
        const stored = (await store.labels.recent(set.id, 100, 'ann')).map(({ pairId }) => pairId);
        expect(stored).toEqual(done.toReversed());
        const ids = new Set((await store.labelSets.pairs(set.id, 0, 100)).pairs.map(({ pairId }) => pairId));
        const items = done.filter((pairId) => ids.has(pairId));
        expect((await store.labelSets.get(set.id)).labeled).toBe(items.length);
        const { repeats } = await factsOf(store.labelQuality, set.id);
        expect(repeats.length).toBeLessThanOrEqual(done.length - items.length);
        expect(await store.labels.progress(set.id, 'ann')).toMatchObject({ labeled: done.length });
      }),
      { seed: 14, numRuns: 12 },
    );
  });

  it('are as before after the workspace was closed and opened again', async () => {
    const { store, set, folder, close } = await pairsForTest(30, { repeats: 0.4, repeatAfter: 2 });
    await labelAll(store, set.id, 'ann', shorter, 1);
    await store.labels.undo(set.id, 'ann');
    const facts = await factsOf(store.labelQuality, set.id);
    const waiting = await store.labels.queue(set.id, [], 5, 'ann');
    await close();
    const again = await openFolder(folder);
    try {
      expect(await factsOf(again.store.labelQuality, set.id)).toEqual(facts);
      expect(await again.store.labels.queue(set.id, [], 5, 'ann')).toEqual(waiting);
      expect(await again.store.labels.redo(set.id, 'ann')).toMatchObject({ pairId: waiting[0].pairId });
    } finally {
      await again.close();
    }
  });
});

describe('gold items', () => {
  it('are mixed in at their share, are shown to every labeler, and measure agreement with gold', async () => {
    const { store, set } = await pairsForTest(40, { gold: 0.25 });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 100);
    const gold = pairs.slice(-10).map(({ pairId }) => ({ pairId, verdict: 'a' as const }));
    expect(await store.labelQuality.markGold(set.id, gold, 'test')).toEqual({ gold: 10 });
    const shown = await labelAll(store, set.id, 'ann', () => 'left');
    const isGold = shown.map(({ pairId }) => gold.some((each) => each.pairId === pairId));
    expect(isGold.slice(0, 20).filter(Boolean)).toHaveLength(5);
    expect(shown).toHaveLength(40);
    const again = await labelAll(store, set.id, 'ben', () => 'right');
    expect(again.map(({ pairId }) => pairId).sort()).toEqual(gold.map(({ pairId }) => pairId).sort());
    const missed = { setId: set.id, before: null, limit: 100 } as const;
    const of = async (labeler: string): Promise<number> =>
      (await store.labelReview.page({ ...missed, filter: { about: 'gold-missed', labeler } })).total;
    expect((await of('ann')) + (await of('ben'))).toBe(10);
    expect(await store.labelQuality.unmarkGold(set.id, [gold[0].pairId])).toEqual({ gold: 9 });
    expect(await store.labelQuality.unmarkGold(set.id, null)).toEqual({ gold: 0 });
  });

  it('come from marks that differ: the right answer is the better one', async () => {
    const { store, set } = await pairsForTest(6);
    expect(await store.labelQuality.goldFromMarks(set.id)).toEqual({ gold: 6 });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    const verdicts = new Map((await goldOf(store.labelQuality, set.id)).map((g) => [g.pairId, g.verdict]));
    for (const { pairId, correctA } of pairs) expect(verdicts.get(pairId)).toBe(correctA ? 'a' : 'b');
  });
});
