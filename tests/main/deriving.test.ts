import { describe, expect, it } from 'vitest';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import type { DerivingProgress, Recipe } from '../../preload/contract/deriving.ts';
import { makeDataset } from '../../main/services/deriving/make.ts';
import { draw } from '../../main/services/deriving/plan.ts';
import { rebuildDataset } from '../../main/services/deriving/rebuild.ts';
import { stateOf } from '../../main/services/deriving/states.ts';
import { tagSample } from '../../main/services/deriving/tag.ts';
import { SplitSpec } from '../../preload/contract/splits.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { madeBy } from '../support/derived.ts';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { workspaceForTest } from '../support/workspace.ts';

const by = { author: 'me', query: null };
const never = new AbortController().signal;

/** Rows with a level from 0 to 4 and marks in turn; two answers to a prompt. */
const rowsOf = (count: number, text = 'question'): DatasetRow[] =>
  Array.from({ length: count }, (_none, row) => ({
    row,
    line: 10 + row,
    promptId: `${text} ${row >> 1}`,
    prompt: `${text} ${row >> 1}`,
    answer: `answer ${row}`,
    reference: null,
    correct: row % 2 === 0,
    source: 'file',
    extra: { level: row % 5, topic: 'sums' },
  }));

async function datasetOf(store: StoreClient, rows: readonly DatasetRow[], name = 'answers'): Promise<string> {
  const id = await store.datasets.stage({ name, source: `${name}.jsonl` });
  await store.datasets.append(id, rows, []);
  await store.datasets.finish(id, { hash: 'file hash', doctor: noFindings });
  return id;
}

const all = async (store: StoreClient, id: string, query = '') =>
  (await store.rows.page({ id, query, sort: null, offset: 0, limit: 500 })).rows;
const query = (
  datasetId: string,
  text: string,
  own: Partial<Extract<Recipe, { kind: 'query' }>> = {},
): Recipe => ({
  kind: 'query',
  from: { datasetId, query: text },
  marks: false,
  ...own,
});
const rebuilt = (store: StoreClient, id: string) => rebuildDataset(store, id, never, () => undefined);

describe('a dataset of the rows of a query', () => {
  it('has these rows with their lines, prompt ids and columns, as they are curated', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(20));
    await store.curation.mark(id, { event: 'exclude', value: null }, [2], by);
    const event = await store.curation.begin(id, { event: 'edit', field: 'answer', value: 'better' }, by);
    await store.curation.editRows(id, event, [4], { column: 'answer', value: 'better' });
    await store.curation.finish(event);
    const made = await madeBy(store, query(id, 'right level<=4'), 'right ones');
    const rows = await all(store, made);
    expect(rows.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(rows.map(({ line }) => line)).toEqual([10, 14, 16, 18, 20, 22, 24, 26, 28]);
    expect(rows[1]).toMatchObject({
      promptId: 'question 2',
      answer: 'better',
      correct: true,
      extra: { level: 4 },
    });
    const dataset = await store.datasets.get(made);
    expect(dataset).toMatchObject({ name: 'right ones', rows: 9, source: 'answers.jsonl' });
    expect(dataset.doctor).toMatchObject({ answers: 9, correct: 9, wrong: 0, prompts: 9 });
    expect(dataset.hash).toBe((await store.versions.content(made, null)).hash);
  });

  it('keeps chosen columns only, and tags if asked', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(6));
    await store.curation.mark(id, { event: 'tag', value: 'hard' }, [1, 3], by);
    const plain = await madeBy(store, query(id, 'tag:hard', { columns: ['topic'] }));
    expect((await all(store, plain)).map(({ extra, tags }) => ({ extra, tags }))).toEqual([
      { extra: { topic: 'sums' }, tags: [] },
      { extra: { topic: 'sums' }, tags: [] },
    ]);
    const tagged = await madeBy(store, query(id, '', { marks: true }));
    expect((await all(store, tagged, 'tag:hard')).map(({ row }) => row)).toEqual([1, 3]);
    expect((await store.datasets.get(tagged)).hash).toBe((await store.versions.content(tagged, null)).hash);
  });

  it('of a version has the rows as they were then, found by the query as it would have then', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(10));
    await store.curation.mark(id, { event: 'tag', value: 'kept' }, [1, 2, 3], by);
    await store.versions.save(id, 'first', await store.versions.content(id, null), 'me');
    await store.curation.mark(id, { event: 'untag', value: 'kept' }, [1, 2], by);
    await store.curation.mark(id, { event: 'exclude', value: null }, [3], by);
    const of = (text: string): Recipe =>
      query(id, text, { from: { datasetId: id, query: text, version: 'first' } });
    const made = await madeBy(store, of('tag:kept level>1'));
    expect((await all(store, made)).map(({ answer }) => answer)).toEqual(['answer 2', 'answer 3']);
    expect((await all(store, await madeBy(store, of('')))).length).toBe(10);
    expect((await rejected(madeBy(store, of('is:edited')))).where).toBe('is:edited');
    expect((await store.datasets.list()).map(({ name }) => name)).toEqual(['made', 'made', 'answers']);
  });

  it('is refused where no row matches, and for a faulty query', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(4));
    expect((await rejected(madeBy(store, query(id, 'level:9')))).message).toContain('No row matches');
    expect(await rejected(madeBy(store, query(id, 'colour:red')))).toMatchObject({
      kind: 'invalid-input',
      where: 'colour:red',
    });
    expect((await rejected(madeBy(store, query('nobody', '')))).kind).toBe('not-found');
    expect(await store.datasets.list()).toHaveLength(1);
  });

  it('is refused for a column that does not exist, and the error names those that do', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(4));
    const unknown = query(id, '', { columns: ['topic', 'Level'] });
    expect(await rejected(draw(store, unknown, never))).toMatchObject({
      kind: 'invalid-input',
      message: "There is no column 'Level' to keep.",
      hint: 'There are: level, topic.',
    });
    const sample = { ...query(id, ''), kind: 'sample', by: 'subject', rows: 2, seed: 0, given: {} } as const;
    const drawn = draw(store, { ...sample, allocation: 'equal' } as Recipe, never);
    expect(await rejected(drawn)).toMatchObject({
      message: "There is no column 'subject'.",
      hint: expect.stringMatching(/^There are: level, topic, prompt, /) as string,
    });
    const split = SplitSpec.parse({ by: 'subject', parts: [{ name: 'train', weight: 1 }] });
    expect(await rejected(store.splits.assign(id, split))).toMatchObject({
      message: "There is no column 'subject'.",
      where: 'subject',
    });
  });

  it('that is cancelled leaves nothing behind', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(4600));
    const stop = new AbortController();
    const seen: DerivingProgress[] = [];
    const made = makeDataset(
      store,
      { recipe: query(id, ''), name: 'half', author: 'me' },
      stop.signal,
      (progress) => {
        seen.push(progress);
        if (progress.state === 'copying' && progress.done > 0) stop.abort();
      },
    );
    expect((await rejected(made)).kind).toBe('cancelled');
    expect(seen.at(-1)).toMatchObject({ state: 'copying', done: 2000, total: 4600 });
    expect(await store.datasets.list()).toHaveLength(1);
    expect((await store.lineage.of('dataset', id)).usedBy).toEqual([]);
  });
});

describe('a derived dataset', () => {
  it('is rebuilt from its recipe with the same hash, whatever became of its parent', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(30));
    await store.curation.mark(id, { event: 'tag', value: 'odd' }, [1, 3, 5], by);
    const ofQuery = await madeBy(store, query(id, 'tag:odd', { marks: true }));
    const sampled = await madeBy(store, {
      kind: 'sample',
      from: { datasetId: id, query: '-level:0' },
      by: 'level',
      rows: 8,
      allocation: 'equal',
      given: {},
      seed: 3,
      marks: false,
    });
    const mixed = await madeBy(store, {
      kind: 'mixture',
      from: [
        { datasetId: id, query: 'right', weight: 3 },
        { datasetId: id, query: 'wrong', weight: 1 },
      ],
      rows: 40,
      repeats: true,
      column: 'from',
      seed: 1,
    });
    await store.curation.mark(id, { event: 'untag', value: 'odd' }, [1, 3], by);
    await store.curation.mark(id, { event: 'exclude', value: null }, [0, 7], by);
    await store.datasets.rename(id, 'renamed');
    for (const made of [ofQuery, sampled, mixed]) {
      const { hash } = await store.datasets.get(made);
      expect(await rebuilt(store, made)).toEqual({
        hash,
        rows: (await store.datasets.get(made)).rows,
        isSame: true,
      });
    }
    expect((await store.datasets.list()).length).toBe(4);
  });

  it('names its parent with its step, and says which one is missing once it is removed', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(6));
    await store.curation.mark(id, { event: 'exclude', value: null }, [0], by);
    const made = await madeBy(store, query(id, 'wrong'), 'wrong ones');
    expect(await store.lineage.of('dataset', made)).toMatchObject({
      node: { name: 'wrong ones' },
      from: [{ kind: 'dataset', id, name: 'answers', note: 'unsaved changes at step 1; rows of “wrong”' }],
      usedBy: [],
    });
    expect((await store.lineage.of('dataset', id)).usedBy).toMatchObject([{ kind: 'dataset', id: made }]);
    expect((await store.lineage.of('dataset', id)).from).toMatchObject([
      { kind: 'file', name: 'answers.jsonl' },
    ]);
    await store.datasets.remove(id);
    expect((await store.lineage.of('dataset', made)).from).toMatchObject([
      { name: 'answers', removed: true },
    ]);
    const error = await rejected(rebuilt(store, made));
    expect(error).toMatchObject({ kind: 'not-found', where: "'answers'" });
    expect((await rejected(store.lineage.of('dataset', id))).kind).toBe('not-found');
  });

  it('of an imported file has no recipe to rebuild', async () => {
    const { store } = await workspaceForTest();
    expect((await rejected(rebuilt(store, await datasetOf(store, rowsOf(2))))).message).toContain(
      'was imported',
    );
  });
});

describe('a mixture', () => {
  it('has as many rows of each dataset as its weight asks, and a column that names it', async () => {
    const { store } = await workspaceForTest();
    const [a, b] = [
      await datasetOf(store, rowsOf(100), 'A'),
      await datasetOf(store, rowsOf(8, 'other'), 'B'),
    ];
    const recipe: Recipe = {
      kind: 'mixture',
      from: [
        { datasetId: a, query: '', weight: 1 },
        { datasetId: b, query: '', weight: 1 },
      ],
      rows: 40,
      repeats: true,
      column: 'mixture',
      seed: 7,
    };
    const { plan } = await draw(store, recipe, never);
    expect(plan).toMatchObject({ rows: 40, notes: ['B has 8 rows, 20 asked: drawn 2.5 times.'] });
    const rows = await all(store, await madeBy(store, recipe));
    const ofB = rows.filter(({ extra }) => extra?.mixture === 'B');
    expect([rows.length, ofB.length]).toEqual([40, 20]);
    expect(new Set(ofB.map(({ answer }) => answer)).size).toBe(8);
    expect(rows.every(({ source }) => source === 'file')).toBe(true);
    const alone = await draw(store, { ...recipe, repeats: false }, never);
    expect(alone.plan).toMatchObject({ rows: 28, notes: ['B has 8 rows, 20 asked: 8 are taken.'] });
    expect((await draw(store, { ...recipe, rows: null, repeats: false }, never)).plan).toMatchObject({
      rows: 16,
      notes: [],
    });
  });

  it('does not replace a column that rows have already', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(4));
    const mixture = (datasetId: string, column: string): Recipe => ({
      kind: 'mixture',
      from: [{ datasetId, query: '', weight: 1 }],
      rows: null,
      repeats: false,
      column,
      seed: 7,
    });
    const inner = await madeBy(store, mixture(id, 'mixture'), 'inner');
    expect(await rejected(madeBy(store, mixture(inner, 'Mixture')))).toMatchObject({
      kind: 'invalid-input',
      where: 'column',
    });
    const outer = await all(store, await madeBy(store, mixture(inner, 'outer')));
    expect(outer[0].extra).toMatchObject({ mixture: 'answers', outer: 'inner' });
    expect(await store.datasets.list()).toHaveLength(3);
  });

  it('of two versions of one dataset has the rows of each as they were then', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(4));
    const save = async (name: string) =>
      store.versions.save(id, name, await store.versions.content(id, null), 'me');
    await save('before');
    const event = await store.curation.begin(id, { event: 'edit', field: 'answer', value: 'edited' }, by);
    await store.curation.editRows(id, event, [0, 1, 2, 3], { column: 'answer', value: 'edited' });
    await store.curation.finish(event);
    await save('after');
    const source = { datasetId: id, query: '', weight: 1 };
    const made = await madeBy(store, {
      kind: 'mixture',
      from: [
        { ...source, version: 'before' },
        { ...source, version: 'after' },
      ],
      rows: 8,
      repeats: false,
      column: 'mixture',
      seed: 7,
    });
    const edited = Array.from({ length: 4 }, () => 'edited');
    expect((await all(store, made)).map(({ answer }) => answer).sort()).toEqual([
      ...['answer 0', 'answer 1', 'answer 2', 'answer 3'],
      ...edited,
    ]);
  });
});

describe('a sample', () => {
  const sample = (datasetId: string, own: Partial<Extract<Recipe, { kind: 'sample' }>> = {}) => ({
    kind: 'sample' as const,
    from: { datasetId, query: '' },
    by: null,
    rows: 10,
    allocation: 'proportional' as const,
    given: {},
    seed: 0,
    marks: false,
    ...own,
  });

  it('takes equally many, or given numbers, of each value of a column', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(50));
    const countsOf = async (recipe: Recipe) => {
      const rows = await all(store, await madeBy(store, recipe));
      return [0, 1, 2, 3, 4].map((level) => rows.filter(({ extra }) => extra?.level === level).length);
    };
    expect(await countsOf(sample(id, { by: 'level', allocation: 'equal' }))).toEqual([2, 2, 2, 2, 2]);
    expect(await countsOf(sample(id, { by: 'level', rows: 0.5 }))).toEqual([5, 5, 5, 5, 5]);
    const given = sample(id, { by: 'level', allocation: 'given', given: { 1: 3, 4: 99 } });
    expect(await countsOf(given)).toEqual([0, 3, 0, 0, 10]);
    expect((await draw(store, given, never)).plan.notes).toEqual([
      '“4” has 10 rows, 99 asked: all are taken.',
    ]);
  });

  it('of a column that no row has, or of a value that none has, is refused', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(10));
    expect((await rejected(madeBy(store, sample(id, { by: 'colour' })))).where).toBe('colour');
    const given = sample(id, { by: 'level', allocation: 'given', given: { nine: 1 } });
    expect((await rejected(madeBy(store, given))).where).toBe('nine');
    expect((await rejected(madeBy(store, sample(id, { allocation: 'given' })))).where).toBe('by');
  });

  it('can be tagged instead, in one step that can be undone', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(50));
    const recipe = sample(id, { by: 'level', allocation: 'equal' });
    expect(await tagSample(store, { recipe, tag: 'pilot', author: 'me' }, never)).toMatchObject({
      event: 'tag',
      value: 'pilot',
      rows: 10,
    });
    expect(await all(store, id, 'tag:pilot')).toHaveLength(10);
    expect(await tagSample(store, { recipe, tag: 'pilot', author: 'me' }, never)).toBeNull();
    await store.curation.startStep(id, 'undo', 'me');
    expect(await all(store, id, 'tag:pilot')).toEqual([]);
  });
});

describe('the state of a dataset', () => {
  it('names the version with the same rows, also when steps were undone since', async () => {
    const { store } = await workspaceForTest();
    const id = await datasetOf(store, rowsOf(6));
    expect(await stateOf(store, id)).toMatchObject({ sequence: 0, version: null, rows: 6 });
    const content = await store.versions.content(id, null);
    await store.versions.save(id, 'imported', content, 'me');
    await store.curation.mark(id, { event: 'exclude', value: null }, [0], by);
    const changed = await stateOf(store, id);
    expect(changed).toMatchObject({ sequence: 1, version: null, rows: 5 });
    await store.curation.startStep(id, 'undo', 'me');
    expect(await stateOf(store, id)).toMatchObject({ sequence: 2, version: 'imported', hash: content.hash });
    expect(await stateOf(store, id, 'imported')).toMatchObject({ sequence: 0, version: 'imported' });
    expect((await rejected(stateOf(store, id, 'none'))).kind).toBe('not-found');
  });
});
