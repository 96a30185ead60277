import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RowChange } from '../../preload/contract/curation.ts';
import { openStore, type Store } from '../../main/store/client.ts';
import { openDatabase } from '../../main/store/database.ts';
import { preferencesOf } from '../../main/store/dataset-pairs.ts';
import { atOnce } from '../../main/store/slices.ts';
import { sweep } from '../../main/store/sweep.ts';
import { curationHandlers } from '../../main/ipc/curation.ts';
import { changeRows, takeStep } from '../../main/services/curation.ts';
import { by, fill, opened } from '../support/curated.ts';
import { caught, rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';

describe('curation', () => {
  it('marks, edits, notes and adds rows, and a query finds them by it', () => {
    const { curation, edit, note, numbers, modules } = opened();
    expect(modules.datasets.get('d').curated).toBeUndefined();
    curation.mark('d', { event: 'tag', value: 'dup' }, [1, 2], by);
    curation.mark('d', { event: 'tag', value: 'Look again' }, [2], by);
    curation.mark('d', { event: 'exclude', value: null }, [3], by);
    edit([4], 'answer', 'a corrected one');
    edit([5], 'mark', null);
    edit([6], 'level', 77);
    edit([7], 'new column', 'made');
    note([8], 'see the paper');
    const added = {
      promptId: 'p',
      prompt: 'by hand?',
      answer: 'yes',
      reference: null,
      correct: true,
      source: 'me',
    };
    expect(curation.add('d', added, 'me')).toBe(12);
    expect(numbers('tag:dup')).toEqual([1, 2]);
    expect(numbers('-tag:dup')).toEqual([0, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(numbers('tag:"look again"')).toEqual([2]);
    expect(numbers('is:excluded')).toEqual([3]);
    expect(numbers('corrected')).toEqual([4]);
    expect(numbers('"answer 4"')).toEqual([]);
    expect(numbers('unmarked')).toEqual([5]);
    expect(numbers('level>5')).toEqual([6]);
    expect(numbers('"new column"=made')).toEqual([7]);
    expect(numbers('note:paper')).toEqual([8]);
    expect(numbers('has:note')).toEqual([8]);
    expect(numbers('is:edited')).toEqual([4, 5, 6, 7]);
    expect(numbers('is:added hand')).toEqual([12]);
    expect(modules.datasets.get('d')).toMatchObject({ rows: 13, curated: true });
    expect(modules.datasets.list()).toMatchObject([{ id: 'd', curated: true }]);
    const { facets } = atOnce(modules.rows.facets({ id: 'd', query: '' }));
    expect(facets.find(({ column }) => column === 'tag')).toMatchObject({
      empty: 10,
      values: [
        { value: 'dup', rows: 2 },
        { value: 'Look again', rows: 1 },
      ],
    });
  });

  it('changes nothing, and stores no step, where rows are so already', () => {
    const { curation, edit } = opened();
    expect(curation.mark('d', { event: 'restore', value: null }, [1], by)).toBeNull();
    edit([1], 'answer', 'answer 1');
    expect(curation.history('d')).toEqual([]);
  });

  it('keeps the history of a row, with the imported value of each cell', () => {
    const { curation, edit, step } = opened();
    edit([4], 'answer', 'first');
    edit([4, 5], 'answer', 'second');
    curation.mark('d', { event: 'flag', value: 'review' }, [4], by);
    step('undo');
    const steps = curation.row('d', 4);
    expect(steps.map(({ event, state }) => [event, state])).toEqual([
      ['undo', 'step'],
      ['flag', 'undone'],
      ['edit', 'applied'],
      ['edit', 'applied'],
    ]);
    expect(steps.at(-1)?.cells).toEqual([{ field: 'answer', before: 'answer 4', after: 'first' }]);
    expect(curation.row('d', 5)).toHaveLength(1);
    expect(curation.row('d', 6)).toEqual([]);
  });

  it('edits the last message of a conversation with its answer, and refuses what it cannot hold', () => {
    const { db, edit, all } = opened();
    const messages = [
      { role: 'user', content: 'question 0' },
      { role: 'assistant', content: 'answer 0' },
    ];
    db.prepare("update dataset_rows set messages = ? where dataset_id = 'd' and row = 0").run(
      JSON.stringify(messages),
    );
    edit([0], 'answer', 'better');
    expect(all()[0].messages?.[1].content).toBe('better');
    for (const [column, value] of [
      ['prompt', 'other'],
      ['source', 'other'],
      ['mark', 'good'],
    ])
      expect(caught(() => edit([0], column, value)).kind).toBe('invalid-input');
  });

  it('notes rows in any order, of more than one part, and takes the notes back', () => {
    const { curation, note, step, numbers } = opened(9000);
    note([8999], 'late');
    note([5], 'early');
    expect(numbers('has:note')).toEqual([5, 8999]);
    step('undo');
    expect(numbers('has:note')).toEqual([8999]);
    const event = curation.begin('d', { event: 'note', field: null, value: 'all' }, by);
    const every = Array.from({ length: 9000 }, (_none, row) => row);
    atOnce(curation.editRows('d', event, every, { note: 'all' }));
    atOnce(curation.abandon(event));
    expect(numbers('has:note')).toEqual([8999]);
  });

  it('edits a column named in any case, and makes a new one of a new name only', () => {
    const { edit, all } = opened();
    edit([1], 'Answer', 'better');
    edit([1], 'LEVEL', 8);
    edit([1], 'extra.answer', 'other');
    edit([1], 'Level two', 2);
    expect(all('row=1')[0]).toMatchObject({ answer: 'better' });
    expect(all('row=1')[0].extra).toEqual({ level: 8, answer: 'other', 'Level two': 2 });
  });

  it('refuses rows that do not exist', () => {
    const { curation, note, edit, history } = opened();
    for (const act of [
      () => note([999_999], 'x'),
      () => edit([999_999], 'answer', 'x'),
      () => curation.mark('d', { event: 'tag', value: 't' }, [999_999], by),
    ])
      expect(caught(act)).toMatchObject({ kind: 'not-found', where: 'row 999999' });
    expect(history()).toEqual([]);
  });

  it('takes back what a crash has left of one change, though that of another cannot be', () => {
    const { db, curation, making, numbers, modules } = opened();
    const first = curation.begin('d', { event: 'edit', field: 'level', value: '9' }, by);
    atOnce(curation.editRows('d', first, [1], { column: 'level', value: 9 }));
    db.exec(`
      insert into datasets select 'broken', name, source, hash, created_at, 0, doctor, 1 from datasets where id = 'd';
      insert into curation_events (dataset_id, event, author, at, rows, visible)
        values ('broken', 'edit', 'me', 0, 1, 0);
      insert into curation_cells select max(sequence), 0, 'no column', null, null from curation_events`);
    making.clear();
    expect(caught(() => atOnce(curation.settle('broken'))).kind).toBe('internal');
    expect(caught(() => atOnce(sweep(db, making))).where).toMatch(/broken/);
    expect(numbers('level=9')).toEqual([]);
    atOnce(curation.settle('d'));
    expect(modules.curation.history('d')).toEqual([]);
  });

  it('leaves excluded rows out of exports, pairs and label sets', async () => {
    const { db, curation, modules } = opened();
    const pairs = (): string[] => [...preferencesOf(db, 'd')].map(({ pairId }) => pairId);
    expect(pairs()).toContain('1-0');
    const before = atOnce(modules.datasets.exportDemonstrations('d'));
    curation.mark('d', { event: 'exclude', value: null }, [0, 4, 6], by);
    expect(pairs().filter((pair) => /-(0|4|6)$/.test(pair))).toEqual([]);
    expect(atOnce(modules.datasets.exportDemonstrations('d')).bytes).toBeLessThan(before.bytes);
    const choice = { name: '', pairsPerPrompt: 100, onlyDiffering: false, seed: 0 };
    const set = atOnce(modules.labelSets.create({ ...choice, from: { kind: 'dataset', datasetId: 'd' } }));
    const { pairs: made } = modules.labelSets.pairs(set.id, 0, 100);
    const texts = made.flatMap(({ a, b }) => [a, b]);
    expect(texts).not.toContain('answer 0');
    expect(texts).toContain('answer 1');
  });
});

describe('a change that is not finished', () => {
  it('keeps its rows from training, exports and label sets', () => {
    const { curation, modules } = opened();
    const { datasets, exporting, labelSets } = modules;
    const choice = { name: '', pairsPerPrompt: 100, onlyDiffering: false, seed: 0 };
    const making = () => labelSets.create({ ...choice, from: { kind: 'dataset', datasetId: 'd' } });
    const halfMade = making();
    halfMade.next();
    const event = curation.begin('d', { event: 'edit', field: 'answer', value: 'x' }, by);
    atOnce(curation.editRows('d', event, [1], { column: 'answer', value: 'x' }));
    const uses = [
      () => atOnce(datasets.exportDemonstrations('d')),
      () => atOnce(datasets.exportPreferences('d')),
      () => exporting.rows('d', null),
      () => exporting.prompts('d', null),
      () => atOnce(making()),
    ];
    for (const use of uses) expect(caught(use).kind).toBe('conflict');
    atOnce(curation.abandon(event));
    expect(caught(() => atOnce(halfMade)).kind).toBe('conflict');
    expect(labelSets.list()).toEqual([]);
    for (const use of uses) use();
    expect(labelSets.list()).toHaveLength(1);
  });
});

type Op =
  | {
      readonly op: 'mark';
      readonly event: 'exclude' | 'restore' | 'tag' | 'untag';
      readonly rows: readonly number[];
    }
  | { readonly op: 'edit'; readonly column: string; readonly value: string; readonly rows: readonly number[] }
  | { readonly op: 'add' }
  | { readonly op: 'undo' | 'redo' };
const someRows = fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 6 });
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({
    op: fc.constant('mark' as const),
    event: fc.constantFrom('exclude', 'restore', 'tag', 'untag'),
    rows: someRows,
  }),
  fc.record({
    op: fc.constant('edit' as const),
    column: fc.constantFrom('answer', 'prompt', 'reference', 'level'),
    value: fc.constantFrom('one', 'two', 'three'),
    rows: someRows,
  }),
  fc.constant({ op: 'add' as const }),
  fc.record({ op: fc.constantFrom('undo' as const, 'redo' as const) }),
);

describe('any sequence of steps', () => {
  it('can be undone and redone to the same rows, and undone to the imported ones', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 14 }), (ops) => {
        const { curation, edit, step, all, numbers } = opened();
        const state = () => JSON.stringify(all());
        const before: string[] = [];
        const after: string[] = [];
        const original = state();
        const act = (each: Op): void => {
          if (each.op === 'mark')
            curation.mark(
              'd',
              { event: each.event, value: each.event.endsWith('tag') ? 't' : null },
              each.rows,
              by,
            );
          else if (each.op === 'edit') edit(each.rows, each.column, each.value);
          else if (each.op === 'add')
            curation.add(
              'd',
              { promptId: 'n', prompt: 'new', answer: 'new', reference: null, correct: null, source: '' },
              'me',
            );
        };
        for (const each of ops) {
          const now = state();
          if (each.op === 'undo' || each.op === 'redo') {
            const [from, to] = each.op === 'undo' ? [before, after] : [after, before];
            const expected = from.pop();
            if (expected === undefined) expect(caught(() => step(each.op)).kind).toBe('not-found');
            else {
              step(each.op);
              to.push(now);
              expect(state()).toBe(expected);
            }
          } else {
            const steps = curation.history('d').length;
            act(each);
            if (curation.history('d').length === steps) continue;
            before.push(now);
            after.length = 0;
          }
          const found = all().filter((row) => row.answer === 'two' || row.prompt === 'two');
          expect(numbers('two (is:excluded OR is:included)')).toEqual(found.map(({ row }) => row));
        }
        while (before.length > 0) {
          step('undo');
          expect(state()).toBe(before.pop());
        }
        expect(state()).toBe(original);
      }),
      { seed: 11, numRuns: 15 },
    );
  }, 60_000);
});

describe('a change of many rows', () => {
  const count = 3000;
  async function largeStore(): Promise<Store> {
    const folder = temporaryFolder();
    const db = openDatabase(join(folder, 'workspace.db'), { create: true });
    db.pragma('synchronous = OFF');
    fill(db, count);
    db.close();
    const store = await openStore({ folder, create: false });
    onTestFinished(() => store.close());
    return store;
  }
  const change: RowChange = { kind: 'edit', column: 'level', value: 9 };
  const facts = async ({ client }: Store) => ({
    changed: (await client.rows.facets({ id: 'd', query: 'level=9' })).total,
    steps: (await client.curation.history('d')).map(({ event, rows }) => [event, rows]),
  });

  it('is one step, reports its progress, and is undone as one', async () => {
    const store = await largeStore();
    const seen: number[] = [];
    const push = (progress: { state: string; done?: number }) =>
      void (progress.done && seen.push(progress.done));
    const never = new AbortController().signal;
    const input = { id: 'd', target: { query: 'wrong' }, change, author: 'me' };
    expect(await changeRows(store.client, input, never, push)).toMatchObject({
      state: 'done',
      event: { rows: 1500 },
    });
    expect(seen).toEqual([1000, 1500]);
    expect(await facts(store)).toEqual({ changed: 1500, steps: [['edit', 1500]] });
    await takeStep(store.client, { id: 'd', which: 'undo', author: 'me' }, never, push);
    expect((await facts(store)).changed).toBe(0);
    await takeStep(store.client, { id: 'd', which: 'redo', author: 'me' }, never, push);
    expect((await facts(store)).changed).toBe(1500);
  });

  it('leaves no part when it is cancelled, or when the store dies in the middle', async () => {
    const store = await largeStore();
    const stop = new AbortController();
    const input = { id: 'd', target: { query: '' }, change, author: 'me' };
    const error = await rejected(changeRows(store.client, input, stop.signal, () => stop.abort()));
    expect(error.kind).toBe('cancelled');
    expect(await facts(store)).toEqual({ changed: 0, steps: [] });

    const dying = rejected(
      changeRows(
        store.client,
        input,
        new AbortController().signal,
        () => void store.threads.writer.worker?.terminate(),
      ),
    );
    await dying;
    await expect.poll(() => facts(store), { timeout: 10_000 }).toEqual({ changed: 0, steps: [] });
  });

  it('is settled once a cancelled change was taken back', async () => {
    const store = await largeStore();
    const handlers = curationHandlers({ store: store.client });
    const stop = new AbortController();
    const input = { id: 'd', target: { query: '' }, change, author: 'me' };
    for await (const progress of handlers.change(input, stop.signal))
      if (progress.state === 'changing') break;
    await handlers.settle({ id: 'd' });
    const event = await store.client.curation.mark('d', { event: 'flag', value: 'x' }, [0], by);
    expect(event?.rows).toBe(1);
    expect((await facts(store)).changed).toBe(0);
  });

  it('tags every row of a query at once', async () => {
    const store = await largeStore();
    const input = {
      id: 'd',
      target: { query: 'right' },
      change: { kind: 'tag', value: 'good' } as const,
      author: 'me',
    };
    await changeRows(store.client, input, new AbortController().signal, () => undefined);
    expect((await store.client.rows.facets({ id: 'd', query: 'tag:good' })).total).toBe(1500);
  });
});
