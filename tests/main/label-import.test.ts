import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModeId } from '../../engine/schema/labeling/index.ts';
import type { LabelImport } from '../../preload/contract/label-import.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

/** A set over three prompts with two pairs each, and its import. */
async function setForTest(mode: ModeId = 'pair', bench0?: Awaited<ReturnType<typeof servicesForTest>>) {
  const bench = bench0 ?? (await servicesForTest());
  const { store } = bench.services;
  const set = await store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId: await datasetForTest(store, 3) },
    pairsPerPrompt: 3,
    onlyDiffering: false,
    seed: 0,
    mode,
  });
  const folder = temporaryFolder();
  const importFile = async (
    records: readonly unknown[] | string,
    more: { as?: string; isPreview?: boolean } = {},
  ): Promise<LabelImport> => {
    const path = typeof records === 'string' ? records : join(folder, 'labels.json');
    if (typeof records !== 'string') writeFileSync(path, JSON.stringify(records));
    const input = { setId: set.id, path, isPreview: false, ...more };
    for await (const each of bench.api.labelImport.run(input, new AbortController().signal))
      if (each.state === 'done') return each.result;
    throw new Error('the import ended without a result');
  };
  const { pairs } = await store.labelSets.pairs(set.id, 0, 100);
  return { bench, store, set, pairs, importFile, folder };
}

describe('labels of another tool', () => {
  it('of Label Studio keep annotator and time, with ties and skips, whatever the order of the answers', async () => {
    const { store, set, pairs, importFile } = await setForTest();
    const annotation = (who: string, selected: string | null, more: object = {}) => ({
      completed_by: { email: who },
      updated_at: '2024-05-06T07:08:09Z',
      result: [{ type: 'pairwise', to_name: 'answer1,answer2', value: { selected } }],
      ...more,
    });
    const task = ({ prompt, a, b }: (typeof pairs)[number], ...annotations: object[]) => ({
      data: { prompt, answer1: b, answer2: a },
      annotations,
    });
    const result = await importFile([
      task(pairs[0], annotation('ann', 'left'), annotation('ben', 'right')),
      task(pairs[1], annotation('ann', null)),
      task(pairs[2], annotation('ann', 'left', { was_cancelled: true })),
      { data: { prompt: 'unknown', answer1: 'x', answer2: 'y' }, annotations: [annotation('ann', 'left')] },
    ]);
    expect(result).toMatchObject({
      labels: 5,
      added: 4,
      stored: true,
      already: 0,
      unmatched: { count: 1 },
      labelers: ['ann', 'ben'],
    });
    const at = Date.parse('2024-05-06T07:08:09Z');
    expect(await store.labels.history(pairs[0].pairId)).toMatchObject([
      { labeler: 'ann', verdict: 'b', at },
      { labeler: 'ben', verdict: 'a', at },
    ]);
    expect(await store.labels.history(pairs[1].pairId)).toMatchObject([{ verdict: 'tie' }]);
    expect(await store.labels.history(pairs[2].pairId)).toMatchObject([{ verdict: 'skip' }]);
    expect(await store.labels.labelers(set.id)).toEqual([
      { labeler: 'ann', labeled: 3 },
      { labeler: 'ben', labeled: 1 },
    ]);
  });

  it('of Argilla, versions 1 and 2, rank answers', async () => {
    const { store, pairs, importFile } = await setForTest();
    const [p, q] = pairs;
    await importFile([
      {
        fields: { prompt: p.prompt, response1: p.a, response2: p.b },
        responses: { preference: [{ value: ['response2', 'response1'], user_id: 'u1' }] },
      },
      {
        fields: { prompt: q.prompt, response1: q.a, response2: q.b },
        responses: [{ user_id: 7, status: 'discarded', values: null }],
      },
    ]);
    expect(await store.labels.history(p.pairId)).toMatchObject([{ labeler: 'u1', verdict: 'b' }]);
    expect(await store.labels.history(q.pairId)).toMatchObject([{ labeler: '7', verdict: 'skip' }]);
  });

  it('with chosen and rejected get the labeler that is given; the same file again adds nothing', async () => {
    const { store, set, pairs, importFile } = await setForTest();
    const records = pairs.map(({ prompt, a, b }) => ({ prompt, chosen: b, rejected: a }));
    expect(await importFile(records, { isPreview: true })).toMatchObject({
      added: pairs.length,
      stored: false,
    });
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
    expect(await importFile(records, { as: 'team' })).toMatchObject({ added: pairs.length, stored: true });
    expect(await importFile(records, { as: 'team' })).toMatchObject({
      added: 0,
      stored: false,
      already: pairs.length,
    });
    expect(await store.labels.labelers(set.id)).toEqual([{ labeler: 'team', labeled: pairs.length }]);
    expect((await store.labelSets.get(set.id)).decided).toBe(pairs.length);
  });

  it('that contradict one another or the set are named by line, and none of them is stored', async () => {
    const { store, set, pairs, importFile } = await setForTest();
    const [p, q] = pairs;
    await store.labels.decideMany('ann', [{ pairId: q.pairId, verdict: 'a' }]);
    const label = ({ prompt, a, b }: typeof p, isA: boolean) => ({
      prompt,
      chosen: isA ? a : b,
      rejected: isA ? b : a,
    });
    const result = await importFile([label(p, true), label(p, false), label(q, false)], { as: 'ann' });
    expect(result).toMatchObject({ added: 0, contradictory: { count: 3 } });
    expect(result.contradictory.first).toHaveLength(3);
    expect((await store.labels.progress(set.id)).labeled).toBe(1);
  });

  it.each(['correctness', 'spans'] as const)(
    'of an export of ours come back with their values: %s',
    async (mode) => {
      const { bench, store, set, importFile, folder } = await setForTest(mode);
      const items = await store.labels.queue(set.id, [], 3);
      const values =
        mode === 'spans'
          ? [{ spans: [{ start: 0, end: 6, label: 'wrong', comment: 'no' }] }, { spans: [] }]
          : [{ correct: false, firstWrong: 0 }, { correct: true }];
      for (const [at, value] of values.entries())
        await store.labels.decide({
          pairId: items[at].pairId,
          verdict: 'answered',
          value,
          labeler: 'ann',
          seconds: null,
          rationale: '',
        });
      const path = join(folder, 'own.jsonl');
      await bench.api.labels.export({ setId: set.id, path });
      expect(await importFile(path)).toMatchObject({ labels: 2, added: 0, already: 2 });
      await store.labels.undo(set.id, 'ann');
      await store.labels.undo(set.id, 'ann');
      expect(await importFile(path)).toMatchObject({ added: 0, already: 2 });
      expect(await importFile(path, { as: 'ben' })).toMatchObject({ added: 2, stored: true });
      expect(await store.labels.pair(items[0].pairId, 'ben')).toMatchObject({ before: { value: values[0] } });
    },
  );

  it('of our own export of pairs keep id, labeler and time', async () => {
    const { bench, store, set, pairs, importFile, folder } = await setForTest();
    await store.labels.decideMany('ann', [{ pairId: pairs[0].pairId, verdict: 'both-bad' }]);
    const path = join(folder, 'own.jsonl');
    const input = { from: { kind: 'label-set', id: set.id }, format: 'jsonl', path } as const;
    const states: string[] = [];
    for await (const { state } of bench.api.exports.write(input, new AbortController().signal))
      states.push(state);
    expect(states.at(-1)).toBe('done');
    expect(await importFile(path)).toMatchObject({ added: 0, already: 1 });
    const other = await setForTest('pair', bench);
    expect(await other.importFile(path)).toMatchObject({ added: 1, labelers: ['ann'] });
  });

  it('that cannot be used are refused, and nothing is stored', async () => {
    const { importFile } = await setForTest();
    expect((await rejected(importFile([{ some: 'thing' }]))).kind).toBe('invalid-input');
    expect((await rejected(importFile([{ prompt: 'p', answer: 'x' }]))).message).toContain('no label');
    expect((await rejected(importFile('/none/there.json'))).kind).toBe('not-found');
    const ranking = await setForTest('ranking');
    expect((await rejected(ranking.importFile([]))).kind).toBe('unsupported');
  });

  it('under a labeler’s own name are passed over by undo, and removed together', async () => {
    const { bench, store, set, pairs, importFile } = await setForTest();
    const [p, q, r] = pairs;
    await store.labels.decideMany('me', [{ pairId: p.pairId, verdict: 'a' }]);
    const records = [q, r].map(({ prompt, a, b }) => ({ prompt, chosen: b, rejected: a }));
    expect(await importFile(records, { as: 'me' })).toMatchObject({ added: 2 });
    expect(await store.labels.undo(set.id, 'me')).toMatchObject({ pairId: p.pairId });
    expect(await store.labels.undo(set.id, 'me')).toBeNull();
    expect(await store.labels.redo(set.id, 'me')).toMatchObject({ pairId: p.pairId });
    expect((await store.labels.progress(set.id, 'me')).mine).toBe(3);
    await store.labels.decideMany('me', [{ pairId: r.pairId, verdict: 'tie' }]);
    const { labelImport } = bench.api;
    const [{ id, ...facts }, ...others] = await labelImport.list({ setId: set.id });
    expect(others).toEqual([]);
    expect(facts).toMatchObject({ source: 'labels.json', labels: 2, left: 2 });
    expect(await labelImport.remove({ setId: set.id, importId: id })).toEqual({ removed: 2 });
    const verdicts = (await store.labelSets.pairs(set.id, 0, 3)).pairs.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['a', null, 'tie']);
    expect(await labelImport.list({ setId: set.id })).toEqual([]);
    expect(await store.labels.undo(set.id, 'me')).toMatchObject({ pairId: r.pairId });
    expect(await importFile(records, { as: 'me' })).toMatchObject({ added: 2, already: 0 });
  });

  it('stop at a cancellation, and store none', async () => {
    const { bench, store, set, pairs, folder } = await setForTest();
    const path = join(folder, 'many.jsonl');
    const line = JSON.stringify({ prompt: pairs[0].prompt, chosen: pairs[0].a, rejected: pairs[0].b });
    writeFileSync(path, `${line}\n`.repeat(5000));
    const stop = new AbortController();
    const input = { setId: set.id, path, isPreview: false };
    const seen = async () => {
      for await (const each of bench.api.labelImport.run(input, stop.signal)) {
        if (each.state === 'reading') stop.abort();
      }
    };
    await seen();
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
  });
});

describe('many items at once', () => {
  it('get one decision each by side, and all are taken back but those that were changed since', async () => {
    const { store, set, pairs } = await setForTest();
    const positions = await store.labelBulk.find(set.id, 'ann', pairs[0].prompt, 'open');
    expect(positions.length).toBeGreaterThan(1);
    const bulk = { setId: set.id, labeler: 'ann', positions, choice: 'left' as const };
    const { sequences, progress } = await store.labelBulk.decide(bulk);
    expect(progress.labeled).toBe(positions.length);
    expect(await store.labelBulk.find(set.id, 'ann', pairs[0].prompt, 'open')).toEqual([]);
    expect(await store.labelBulk.find(set.id, 'ann', '', 'mine')).toEqual(positions);
    const items = await store.labelBulk.items(set.id, 'ann', positions);
    expect(items.every(({ choice }) => choice === 'left')).toBe(true);
    for (const word of ['correct', 'origin', 'left_is', '"a"'])
      expect(JSON.stringify(items)).not.toContain(word);
    await store.labels.decideMany('ann', [{ pairId: pairs[positions[0]].pairId, verdict: 'tie' }]);
    expect(await store.labelBulk.undo(set.id, 'ben', sequences)).toMatchObject({ undone: 0 });
    expect(await store.labelBulk.undo(set.id, 'ann', sequences)).toMatchObject({
      undone: positions.length - 1,
    });
    expect(await store.labelBulk.undo(set.id, 'ann', sequences)).toMatchObject({ undone: 0 });
    expect(await store.labelBulk.find(set.id, 'ann', '', 'mine')).toEqual([positions[0]]);
  });

  it('are all checked before one is stored', async () => {
    const { store, set } = await setForTest('correctness');
    const positions = await store.labelBulk.find(set.id, 'ann', '', 'all');
    const bulk = { setId: set.id, labeler: 'ann', positions, choice: 'answered' as const };
    const refused = await rejected(store.labelBulk.decide({ ...bulk, value: { correct: 'no' } }));
    expect(refused.kind).toBe('invalid-input');
    expect((await store.labels.progress(set.id)).labeled).toBe(0);
    const { sequences } = await store.labelBulk.decide({ ...bulk, value: { correct: true } });
    expect(sequences).toHaveLength(positions.length);
  });
});

describe('the use of options', () => {
  it('counts the names in the current decisions', async () => {
    const { store, set, pairs } = await setForTest();
    for (const reasons of [['clearer'], ['clearer', 'safer']])
      await store.labels.decide({
        pairId: pairs[reasons.length].pairId,
        verdict: 'a',
        labeler: 'ann',
        seconds: null,
        rationale: '',
        details: { reasons, strength: 3, flags: ['broken'] },
      });
    expect(await store.labelUsage.ofSet(set.id)).toMatchObject({
      reasons: { clearer: 2, safer: 1 },
      flags: { broken: 2 },
      much: 2,
      attributes: {},
    });
    const rated = await setForTest('rating');
    const [{ pairId }] = await rated.store.labels.queue(rated.set.id, [], 1);
    const value = { helpfulness: 2, correctness: 5 };
    await rated.store.labels.decide({
      pairId,
      verdict: 'answered',
      value,
      labeler: 'a',
      seconds: null,
      rationale: '',
    });
    expect(await rated.store.labelUsage.ofSet(rated.set.id)).toMatchObject({
      attributes: { helpfulness: 1, correctness: 1 },
      ratings: { 5: 1 },
    });
    const marked = await setForTest('spans');
    const [item] = await marked.store.labels.queue(marked.set.id, [], 1);
    const spans = [
      { start: 0, end: 2, label: 'good' },
      { start: 3, end: 4, label: 'good' },
    ];
    await marked.store.labels.decide({
      pairId: item.pairId,
      verdict: 'answered',
      value: { spans },
      labeler: 'a',
      seconds: null,
      rationale: '',
    });
    expect(await marked.store.labelUsage.ofSet(marked.set.id)).toMatchObject({ spanLabels: { good: 1 } });
  });
});
