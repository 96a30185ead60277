import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { pickPairs, type Answers } from '../../main/store/labels/pairing.ts';
import { atOnce } from '../../main/store/slices.ts';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { datasetForTest, workspaceForTest } from '../support/workspace.ts';

const choice = { name: '', pairsPerPrompt: 4, onlyDiffering: false, seed: 1 };
const by = { seconds: 1, labeler: 'me', rationale: '' };

async function setForTest(onlyDiffering = false) {
  const { store } = await workspaceForTest();
  const datasetId = await datasetForTest(store);
  const set = await store.labelSets.create({
    ...choice,
    onlyDiffering,
    from: { kind: 'dataset', datasetId },
  });
  return { store, set, datasetId };
}

type Marked = readonly [text: string, correct: boolean | null];

/**
 * Stores a dataset of one prompt's answers and pairs them; returns the texts of each pair in the order of the
 * set.
 */
async function pairsOf(
  answers: readonly Marked[],
  { pairsPerPrompt = 100, onlyDiffering = false, seed = 0 } = {},
) {
  const { store } = await workspaceForTest();
  const datasetId = await store.datasets.stage({ name: 'answers', source: 'test' });
  await store.datasets.append(
    datasetId,
    answers.map(([answer, correct], row): DatasetRow => ({
      row,
      line: row + 1,
      promptId: 'p',
      prompt: '?',
      answer,
      reference: null,
      correct,
      source: 'test',
    })),
    [],
  );
  await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
  const set = await store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt,
    onlyDiffering,
    seed,
  });
  return (await store.labelSets.pairs(set.id, 0, 20_000)).pairs;
}
const inMemory = (texts: readonly Marked[]): Answers => ({
  promptId: 'p',
  count: texts.length,
  characters: 0,
  text: (at) => texts[at][0],
  correct: (at) => texts[at][1],
});
const many = (count: number): Marked[] =>
  Array.from({ length: count }, (_none, i) => [`answer ${i}`, i % 3 === 0] as const);

describe('pairing', () => {
  it('never pairs equal texts, and counts a repeated text once', async () => {
    expect(
      (
        await rejected(
          pairsOf([
            ['x', true],
            ['x', false],
            ['x', null],
          ]),
        )
      ).kind,
    ).toBe('invalid-input');
    expect(
      await pairsOf([
        ['x', true],
        ['x', true],
        ['y', false],
      ]),
    ).toHaveLength(1);
  });

  it('respects the maximum per prompt, and optionally pairs only right with wrong answers', async () => {
    const five = [
      ['a', true],
      ['b', false],
      ['c', null],
      ['d', true],
      ['e', false],
    ] as const;
    expect(await pairsOf(five, { pairsPerPrompt: 3 })).toHaveLength(3);
    const differing = await pairsOf(five, { onlyDiffering: true });
    expect(differing).toHaveLength(4);
    expect(
      differing.every((p) => p.correctA !== p.correctB && p.correctA !== null && p.correctB !== null),
    ).toBe(true);
  });

  it.each([false, true])(
    'takes the pairs with the lowest keyed hashes of up to 200 answers (only differing: %j)',
    async (onlyDiffering) => {
      const answers = many(40);
      const key = (a: string, b: string): string =>
        createHmac('sha256', '5')
          .update(JSON.stringify(['pair', 'p', a, b]))
          .digest('hex');
      const all = answers.flatMap(([a, isA], i) =>
        answers
          .slice(i + 1)
          .filter(([, isB]) => !onlyDiffering || isA !== isB)
          .map(([b]) => ({ a, b, order: key(a, b) })),
      );
      const lowest = all.toSorted((x, y) => (x.order < y.order ? -1 : 1)).slice(0, 20);
      expect(
        (await pairsOf(answers, { pairsPerPrompt: 20, onlyDiffering, seed: 5 })).map(({ a, b }) => [a, b]),
      ).toEqual(lowest.map(({ a, b }) => [a, b]));
    },
  );

  it('samples pairs of more than 200 answers, each answer about equally often, and no pair twice', () => {
    const times = new Float64Array(201);
    for (let seed = 0; seed < 200; seed += 1) {
      const picked = atOnce(
        pickPairs(inMemory(many(201)), { pairsPerPrompt: 100, onlyDiffering: false, seed }),
      );
      expect(new Set(picked.map(({ a, b }) => `${a}/${b}`)).size).toBe(100);
      expect(picked.every(({ a, b }) => a < b && b < 201)).toBe(true);
      for (const { a, b } of picked) [times[a], times[b]] = [times[a] + 1, times[b] + 1];
    }
    // 40,000 places for 201 answers: 199 each, with a standard deviation of about 14
    expect(Math.min(...times)).toBeGreaterThan(199 - 70);
    expect(Math.max(...times)).toBeLessThan(199 + 70);
  });

  it('optionally samples right and wrong answers only, and takes all pairs if there are fewer than requested', () => {
    const few = many(300).map(([text], i): Marked => [text, i < 2 ? true : i < 12 ? false : null]);
    const picked = atOnce(pickPairs(inMemory(few), { pairsPerPrompt: 100, onlyDiffering: true, seed: 0 }));
    expect(picked.map(({ a, b }) => `${a}/${b}`).sort()).toEqual(
      [0, 1].flatMap((a) => Array.from({ length: 10 }, (_none, b) => `${a}/${b + 2}`)).sort(),
    );
  });

  it('assigns sides evenly, and identically for the same seed', () => {
    const sides = (seed: number) =>
      atOnce(pickPairs(inMemory(many(150)), { pairsPerPrompt: 200, onlyDiffering: false, seed })).map(
        (p) => `${p.a}/${p.b}${p.leftIs}`,
      );
    expect(sides(3)).toEqual(sides(3));
    expect(sides(3)).not.toEqual(sides(4));
    const left = sides(3).filter((s) => s.endsWith('a')).length;
    expect(left).toBeGreaterThan(70);
    expect(left).toBeLessThan(130);
  });
});

describe('labels', () => {
  it('record which answer won, and count how often it was on the left', async () => {
    const { store, set } = await setForTest();
    const shown = await store.labels.queue(set.id, [], 50);
    for (const { pairId } of shown) await store.labels.decide({ pairId, verdict: 'left', ...by });
    const { pairs } = await store.labelSets.pairs(set.id, 0, 50);
    expect(new Set(pairs.map(({ verdict }) => verdict))).toEqual(new Set(['a', 'b']));
    expect((await store.labels.progress(set.id)).leftShare).toBe(1);
    for (const [at, { pairId, answers }] of shown.entries()) {
      const { a, b, verdict } = pairs[at];
      expect(answers).toEqual(verdict === 'a' ? [a, b] : [b, a]);
      expect(await store.labels.pair(pairId)).toMatchObject({ answers, before: { choice: 'left' } });
    }
  });

  it('appear in the recent decisions with the side of each answer', async () => {
    const { store, set } = await setForTest();
    const shown = await store.labels.queue(set.id, [], 50);
    const choices = ['left', 'right', 'tie'] as const;
    const chosen = shown.map(({ pairId }, i) => ({ pairId, choice: choices[i % 3] }));
    for (const { pairId, choice } of chosen) await store.labels.decide({ pairId, verdict: choice, ...by });
    const recent = await store.labels.recent(set.id, 100);
    expect(recent.map(({ pairId, choice }) => ({ pairId, choice }))).toEqual(chosen.toReversed());
  });

  it('remove decided pairs from the queue, which also omits pairs that the page already has', async () => {
    const { store, set } = await setForTest();
    const [first, second, third] = await store.labels.queue(set.id, [], 3);
    await store.labels.decide({ pairId: first.pairId, verdict: 'tie', ...by });
    expect((await store.labels.queue(set.id, [second.pairId], 1))[0].pairId).toBe(third.pairId);
  });

  it('are an event log: a correction and an undo are events, and an undo restores the previous label', async () => {
    const { store, set } = await setForTest();
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    await store.labels.decide({ pairId, verdict: 'both-bad', ...by });
    await store.labels.decide({ pairId, verdict: 'skip', ...by });
    expect((await store.labels.undo(set.id, 'me'))?.pairId).toBe(pairId);
    expect((await store.labels.recent(set.id, 5)).map((d) => d.choice)).toEqual(['both-bad']);
    expect((await store.labels.undo(set.id, 'me'))?.pairId).toBe(pairId);
    expect(await store.labels.undo(set.id, 'me')).toBeNull();
    expect((await store.labels.history(pairId)).map((e) => [e.event, e.verdict])).toEqual([
      ['label', 'both-bad'],
      ['correction', 'skip'],
      ['undo', null],
      ['undo', null],
    ]);
    expect((await store.labels.queue(set.id, [], 1))[0].pairId).toBe(pairId);
    await store.labels.decide({ pairId, verdict: 'tie', ...by });
    expect((await store.labels.history(pairId)).at(-1)?.event).toBe('label');
  });

  it('of one labeler cannot be undone by another', async () => {
    const { store, set } = await setForTest();
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    await store.labels.decide({ pairId, verdict: 'a', ...by });
    expect(await store.labels.undo(set.id, 'somebody else')).toBeNull();
    expect(await store.labels.progress(set.id)).toMatchObject({ labeled: 1, mine: 1 });
    expect(await store.labels.progress(set.id, 'somebody else')).toMatchObject({ labeled: 1, mine: 0 });
  });

  it('of a program are stored together or not at all', async () => {
    const { store, set } = await setForTest();
    const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
    const error = await rejected(
      store.labels.decideMany('script', [
        { pairId: pairs[0].pairId, verdict: 'a' },
        { pairId: 'nobody', verdict: 'b' },
      ]),
    );
    expect(error.kind).toBe('not-found');
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
    expect(
      (
        await store.labels.decideMany(
          'script',
          pairs.map((p) => ({ pairId: p.pairId, verdict: 'b' })),
        )
      ).labeled,
    ).toBe(pairs.length);
  });

  it.each(['tie', 'skip', 'both-bad'] as const)(
    'that are all %j are rejected for training, with the name of the set',
    async (verdict) => {
      const { store, set } = await setForTest();
      const { pairs } = await store.labelSets.pairs(set.id, 0, 10);
      await store.labels.decideMany(
        'script',
        pairs.map((p) => ({ pairId: p.pairId, verdict })),
      );
      const error = await rejected(store.labelSets.exportPreferences(set.id));
      expect(error).toMatchObject({
        kind: 'invalid-input',
        where: set.id,
        hint: expect.stringContaining('Label screen') as string,
      });
      expect(error.message).toContain(set.name);
      await store.labels.decideMany('script', [{ pairId: pairs[0].pairId, verdict: 'a' }]);
      expect((await store.labelSets.exportPreferences(set.id)).bytes).toBeGreaterThan(0);
    },
  );

  it('prevent the removal of their dataset, and the error names the set', async () => {
    const { store, datasetId, set } = await setForTest();
    const error = await rejected(store.datasets.remove(datasetId));
    expect(error.kind).toBe('conflict');
    expect(error.message).toContain(set.name);
    await store.labelSets.remove(set.id);
    await store.datasets.remove(datasetId);
    expect(await store.datasets.list()).toEqual([]);
  });
});
