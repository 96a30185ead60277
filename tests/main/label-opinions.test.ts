import { describe, expect, it } from 'vitest';
import { rejected } from '../support/errors.ts';
import { judgedSet } from '../support/judged-set.ts';
import { workspaceForTest } from '../support/workspace.ts';

/** A set in which the first pairs are decided for their first stored answer, with these opinions of a judge. */
async function opinionsForTest(probabilities: readonly number[], overlap = 1) {
  const { store } = await workspaceForTest();
  const { id } = await judgedSet(store, 8);
  await store.labelSets.setOptions(id, { overlap });
  const decide = (pairId: string, labeler = 'me') =>
    store.labels.decide({ pairId, verdict: 'a', seconds: 1, labeler, rationale: '' });
  const { pairs } = await store.labelSets.pairs(id, 0, probabilities.length);
  for (const { pairId } of pairs) await decide(pairId);
  const judge = async () => {
    const labels = await store.labelJudge.labels(id, 0, 1e9);
    await store.labelJudge.addOpinions(
      id,
      labels.map(({ pair_id: pairId, sequence, verdict, position }) => ({
        pairId,
        sequence,
        verdict,
        probability: probabilities[position],
      })),
    );
  };
  await judge();
  const review = async (disagrees?: true) =>
    (await store.labelReview.page({ setId: id, filter: { disagrees }, before: null, limit: 10 })).decisions;
  return { store, id, ids: pairs.map(({ pairId }) => pairId), decide, judge, review };
}

describe('opinions of a judge', () => {
  it('are disagreements below one half of the decided side, surest first', async () => {
    const { store, id, ids, review } = await opinionsForTest([0.4, 0.9, 0.1, 0.5]);
    expect((await review(true)).map(({ pairId }) => pairId)).toEqual([ids[2], ids[0]]);
    const { total, pairs } = await store.disagreements.next({
      setId: id,
      labeler: 'me',
      after: [ids[2]],
      count: 5,
    });
    expect([total, pairs.map(({ pairId }) => pairId)]).toEqual([2, [ids[0]]]);
    expect(await store.disagreements.count(id)).toBe(2);
  });

  it('are given for the first answer as it is shown', async () => {
    const { store, id, review } = await opinionsForTest([0.2, 0.2, 0.2, 0.2, 0.2, 0.2]);
    const { pairs } = await store.labelSets.pairs(id, 0, 6);
    for (const { pairId, answers, judge } of await review()) {
      const isAFirst = pairs.find((pair) => pair.pairId === pairId)?.a === answers[0];
      expect(judge).toBeCloseTo(isAFirst ? 0.2 : 0.8);
    }
  });

  it('stay hidden while another labeler still wants the pair', async () => {
    const { decide, judge, review, ids } = await opinionsForTest([0.1], 2);
    expect((await review())[0].judge).toBeUndefined();
    expect(await review(true)).toEqual([]);
    await decide(ids[0], 'ann');
    await judge();
    const [ann, me] = await review();
    expect([ann.judge, ann.labeler, me.judge]).toEqual([expect.any(Number), 'ann', undefined]);
  });

  it('end with an undo, and come back with the redo of the same decision only by another fit', async () => {
    const { store, id, review } = await opinionsForTest([0.1]);
    await store.labels.undo(id, 'me');
    expect([await review(), await store.disagreements.count(id)]).toEqual([[], 0]);
    await store.labels.redo(id, 'me');
    expect((await review())[0].judge).toBeUndefined();
  });

  it('are stored some at a time', async () => {
    const { store, id } = await opinionsForTest([]);
    const many = Array.from({ length: 1001 }, () => ({
      pairId: 'p',
      sequence: 1,
      verdict: 'a' as const,
      probability: 0.5,
    }));
    expect((await rejected(store.labelJudge.addOpinions(id, many))).kind).toBe('internal');
  });
});
