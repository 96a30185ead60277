import { describe, expect, it } from 'vitest';
import type { ColumnDefinition } from '../../preload/contract/columns.ts';
import { openServices, type OpenServices } from '../../main/headless/open.ts';
import { storedCells, type Cell } from '../../main/store/rows/computed-cells.ts';
import { atOnce } from '../../main/store/slices.ts';
import { opened as openedStore } from '../support/curated.ts';
import { rejected } from '../support/errors.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

const { signal } = new AbortController();
const by = { author: 'me', query: '' };
const definition: ColumnDefinition = { by: 'code', code: 'answer.length', timeMs: 200 };

/** The store's modules, with a function that stores a column of these cells. */
function stored(count = 12) {
  const store = openedStore(count);
  const { computed } = store.modules;
  const add = (name: string, cells: readonly Cell[], since = atOnce(computed.prepare('d', name))) =>
    atOnce(computed.add('d', { name, definition, ...by, since }, storedCells(cells)));
  const values = (name: string): unknown[] => store.all().map(({ extra }) => extra?.[name] ?? null);
  return { ...store, add, values, computed };
}
const sizes = Array.from({ length: 12 }, (_none, row) => (row === 3 ? null : row * 10));

describe('a computed column', () => {
  it('is found, sorted, counted, read and exported as a column of the file is', () => {
    const { add, numbers, values, modules } = stored();
    expect(add('size', sizes)).toMatchObject({
      event: { event: 'edit', field: 'size', rows: 11 },
      outdated: 0,
    });
    add(
      'kind',
      sizes.map((size) => (size === null ? null : size > 50 ? 'Large' : 'small')),
    );
    expect(numbers('size>=90')).toEqual([9, 10, 11]);
    expect(numbers('-has:size')).toEqual([3]);
    expect(numbers('kind=large size<80')).toEqual([6, 7]);
    const page = atOnce(
      modules.rows.page({
        id: 'd',
        query: '',
        sort: { column: 'size', descending: true },
        offset: 0,
        limit: 3,
      }),
    );
    expect(page.rows.map(({ row }) => row)).toEqual([11, 10, 9]);
    expect(values('size')).toEqual(sizes);
    const { facets } = atOnce(modules.rows.facets({ id: 'd', query: '' }));
    expect(facets.find(({ column }) => column === 'size')).toMatchObject({
      kind: 'numbers',
      empty: 1,
      high: 110,
    });
    expect(facets.find(({ column }) => column === 'kind')).toMatchObject({ kind: 'values', empty: 1 });
    expect(modules.exporting.rows('d', null).items[2].extra).toEqual({ level: 2, size: 20, kind: 'small' });
    expect(modules.datasets.prompt('d', 'p0')[1].extra).toMatchObject({ size: 10 });
  });

  it('is one step: undo takes it away, redo brings it back, and a newer one of its name replaces it', () => {
    const { add, numbers, step, values, modules } = stored();
    add('size', sizes);
    step('undo');
    expect(values('size')).toEqual(sizes.map(() => null));
    expect(() => numbers('size>1')).toThrow("no column 'size'");
    step('redo');
    expect(numbers('size>=100')).toEqual([10, 11]);
    add(
      'Size',
      sizes.map(() => 7),
    );
    expect(modules.computed.list('d')).toMatchObject([{ name: 'Size' }]);
    expect(numbers('size=7')).toHaveLength(12);
    step('undo');
    expect(values('size')).toEqual(sizes);
  });

  it('is part of the hash and the recipe of a version, and of differences', () => {
    const { add, step, modules } = stored();
    const save = (name: string) =>
      modules.versions.save('d', name, atOnce(modules.versions.content('d', null)), 'me');
    const plain = save('plain');
    const event = add('size', sizes).event?.sequence ?? 0;
    const sized = save('sized');
    expect(sized.hash).not.toBe(plain.hash);
    expect(sized.recipe).toMatchObject({ steps: [event], columns: [{ event, name: 'size', definition }] });
    expect(plain.recipe.columns).toBeUndefined();
    expect(atOnce(modules.versions.diff('d', 'plain', 'sized', 0))).toMatchObject({ changed: 11, added: 0 });
    step('undo');
    expect(atOnce(modules.versions.content('d', null)).hash).toBe(plain.hash);
    expect(atOnce(modules.versions.content('d', sized.sequence)).hash).toBe(sized.hash);
  });

  it.each(['length', 'tag', 'has', 'extra.x', 'level', 'LEVEL'])('cannot be named %j', (name) => {
    const { add } = stored();
    expect(() => add(name, sizes)).toThrow(/means something else|has a column/);
  });

  it('is not edited by hand', () => {
    const { add, edit } = stored();
    add('size', sizes);
    expect(() => edit([1], 'size', 3)).toThrow("'size' is computed");
    expect(() => edit([1], 'extra.Size', 3)).toThrow('is computed');
    edit([1], 'level', 3);
  });

  it('leaves out rows that were edited while it was computed', () => {
    const { add, computed, edit, step, values } = stored();
    const since = atOnce(computed.prepare('d', 'size'));
    edit([4], 'answer', 'longer than before');
    edit([5], 'answer', 'changed');
    step('undo');
    expect(add('size', sizes, since)).toMatchObject({ outdated: 2, event: { rows: 9 } });
    expect(values('size').slice(3, 7)).toEqual([null, null, null, 60]);
  });

  it('leaves out rows that a cancelled edit changed for a while, and no others', () => {
    const { add, computed, modules, values } = stored();
    const cancelled = (row: number): void => {
      const event = modules.curation.begin('d', { event: 'edit', field: 'answer', value: 'x' }, by);
      atOnce(modules.curation.editRows('d', event, [row], { column: 'answer', value: 'x' }));
      atOnce(modules.curation.abandon(event));
    };
    cancelled(7);
    const since = atOnce(computed.prepare('d', 'size'));
    cancelled(4);
    expect(add('size', sizes, since)).toMatchObject({ outdated: 1, event: { rows: 10 } });
    expect(values('size').slice(4, 8)).toEqual([null, 50, 60, 70]);
  });

  it('compares rows again that are edited while it is stored', () => {
    const { computed, edit, values } = stored();
    const since = atOnce(computed.prepare('d', 'size'));
    const storing = computed.add('d', { name: 'size', definition, ...by, since }, storedCells(sizes));
    storing.next();
    edit([6], 'answer', 'changed meanwhile');
    expect(atOnce(storing)).toMatchObject({ outdated: 1 });
    expect(values('size').slice(5, 8)).toEqual([50, null, 70]);
  });

  it('is not computed while another change of the rows is not finished', () => {
    const { computed, modules } = stored();
    const event = modules.curation.begin('d', { event: 'edit', field: 'answer', value: 'x' }, by);
    atOnce(modules.curation.editRows('d', event, [4], { column: 'answer', value: 'x' }));
    expect(() => atOnce(computed.prepare('d', 'size'))).toThrow('not finished');
    modules.curation.finish(event);
    expect(atOnce(computed.prepare('d', 'size'))).toMatchObject({ step: event });
  });

  it('without any cell is no step', () => {
    const { add, history } = stored();
    expect(
      add(
        'size',
        sizes.map(() => null),
      ),
    ).toEqual({ event: null, outdated: 0 });
    expect(history()).toEqual([]);
  });
});

/** Services with the real engine, and a dataset of 12 rows. */
async function opened() {
  const bench = await servicesForTest({ engine: null });
  return { bench, id: await datasetForTest(bench.services.store) };
}

async function computed(
  { api }: OpenServices,
  id: string,
  name: string,
  made: Parameters<OpenServices['api']['columns']['compute']>[0]['definition'],
  query = '',
) {
  for await (const progress of api.columns.compute(
    { id, name, definition: made, query, author: 'me' },
    signal,
  ))
    if (progress.state === 'done') return progress;
  throw new Error('it ended without a result');
}
const codeOf = (code: string, timeMs = 200) => ({ by: 'code', code, timeMs }) as const;
const cellsOf = async ({ api }: OpenServices, id: string, name: string): Promise<unknown[]> =>
  (await api.rows.page({ id, query: '', sort: null, offset: 0, limit: 500 })).rows.map(
    ({ extra }) => extra?.[name] ?? null,
  );

describe('a column by code', () => {
  it('is an expression, or a function of the row, or a program that ends with one', async () => {
    const { bench, id } = await opened();
    await computed(bench, id, 'a', codeOf('answer.length + prompt.length'));
    await computed(bench, id, 'b', codeOf('(row) => row.correct === true ? "yes" : null'));
    await computed(bench, id, 'c', codeOf('const at = 7; (row) => row.answer.endsWith(String(at))'));
    expect((await cellsOf(bench, id, 'a')).slice(0, 3)).toEqual([18, 18, 18]);
    expect((await cellsOf(bench, id, 'b')).slice(0, 4)).toEqual(['yes', null, null, 'yes']);
    expect((await cellsOf(bench, id, 'c')).flatMap((cell, row) => (cell === true ? [row] : []))).toEqual([7]);
    const over = await computed(bench, id, 'd', codeOf('a * 2'), 'a>18');
    expect(over.rows).toBe(2);
    expect((await cellsOf(bench, id, 'd')).filter((cell) => cell !== null)).toEqual([38, 38]);
  });

  it('leaves rows empty on which it throws, hangs or returns no value, and counts them', async () => {
    const { bench, id } = await opened();
    const made = codeOf(
      `(row) => {
        const at = Number(row.answer.slice(7));
        if (at === 1) throw new Error('one');
        if (at === 2) return NaN;
        if (at === 3) for (;;) {}
        if (at === 4) return { at };
        if (at === 5) return undefined;
        if (at === 6) return null;
        return at;
      }`,
      50,
    );
    const done = await computed(bench, id, 'at', made);
    expect(done.faults).toEqual({ count: 5, first: { row: 1, message: 'Error: one' } });
    expect(await cellsOf(bench, id, 'at')).toEqual([0, null, null, null, null, null, null, 7, 8, 9, 10, 11]);
  });

  it('is refused as a whole where it cannot be compiled, and stores nothing where no row has a value', async () => {
    const { bench, id } = await opened();
    const broken = rejected(computed(bench, id, 'x', codeOf('answer.length +')));
    expect(await broken).toMatchObject({ kind: 'invalid-input', where: 'code' });
    const none = await computed(bench, id, 'x', codeOf('lenght(answer)'));
    expect(none).toMatchObject({ event: null, faults: { count: 12, first: { row: 0 } } });
    expect(none.faults.first?.message).toContain('lenght');
    expect(await bench.api.curation.history({ id })).toEqual([]);
  });

  it('does not see the variables of another row, nor anything outside', async () => {
    const { bench, id } = await opened();
    await computed(bench, id, 'n', codeOf('let n = 0; (row) => { n += 1; return n; }'));
    expect(new Set(await cellsOf(bench, id, 'n'))).toEqual(new Set([1]));
    await computed(bench, id, 'outside', codeOf('typeof process + typeof require + typeof fetch'));
    expect(new Set(await cellsOf(bench, id, 'outside'))).toEqual(new Set(['undefinedundefinedundefined']));
  });

  it('is previewed without a step, and stores nothing when it is cancelled', async () => {
    const { bench, id } = await opened();
    const { rows } = await bench.api.columns.preview({
      id,
      definition: codeOf('correct ? 1 : nope'),
      query: '',
    });
    expect(rows).toHaveLength(10);
    expect(rows[0]).toMatchObject({ row: 0, cell: 1, fault: null });
    expect(rows[1]).toMatchObject({ cell: null, fault: expect.stringContaining('nope') as string });
    const input = { id, name: 'n', definition: codeOf('1'), query: '', author: 'me' };
    for await (const progress of bench.api.columns.compute(input, signal)) {
      expect(progress.state).toBe('computing');
      break;
    }
    expect(await bench.api.curation.history({ id })).toEqual([]);
  });

  it('survives the closing of the workspace', async () => {
    const { bench, id } = await opened();
    await computed(bench, id, 'size', codeOf('answer.length'));
    const before = await cellsOf(bench, id, 'size');
    const workspacePath = bench.services.folder;
    await bench.close();
    const again = await openServices({ workspacePath });
    expect(await cellsOf(again, id, 'size')).toEqual(before);
    expect(await again.api.columns.list({ id })).toMatchObject([
      { name: 'size', definition: { by: 'code' } },
    ]);
    await again.close();
  });
});

describe('a column by a reward, or by the texts', () => {
  it('has the reward of each row, and none where a reference is missing', async () => {
    const { bench, id } = await opened();
    for (const [row, reference] of [
      [0, 'answer 0'],
      [1, 'something else'],
    ] as const) {
      const change = { kind: 'edit' as const, column: 'reference', value: reference };
      const input = { id, target: { rows: [row] }, change, author: 'me' };
      for await (const progress of bench.api.curation.change(input, signal)) void progress;
    }
    const exact = { by: 'reward', reward: { id: 'match/exact', params: {} } } as const;
    const done = await computed(bench, id, 'exact', exact);
    expect((await cellsOf(bench, id, 'exact')).slice(0, 3)).toEqual([1, 0, null]);
    expect(done.faults).toEqual({ count: 10, first: { row: 2, message: 'The row has no reference.' } });
    const unknown = rejected(
      computed(bench, id, 'x', { by: 'reward', reward: { id: 'nothing', params: {} } }),
    );
    expect(await unknown).toMatchObject({ kind: 'not-found' });
    const group = rejected(
      computed(bench, id, 'x', { by: 'reward', reward: { id: 'majority', params: {} } }),
    );
    expect(await group).toMatchObject({ kind: 'unsupported' });
  });

  it('numbers clusters by their size, the same for the same seed', async () => {
    const { bench, id } = await opened();
    await computed(bench, id, 'cluster', { by: 'cluster', clusters: 2, seed: 1 });
    const first = await cellsOf(bench, id, 'cluster');
    expect(first.filter((cell) => cell === 0).length).toBeGreaterThanOrEqual(6);
    await computed(bench, id, 'cluster', { by: 'cluster', clusters: 2, seed: 1 });
    expect(await cellsOf(bench, id, 'cluster')).toEqual(first);
  });
});
