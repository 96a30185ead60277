import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { QueryRow } from '../../preload/contract/rows.ts';
import type { CurationEvent } from '../../preload/contract/curation.ts';
import { CurationState } from '../../renderer/features/datasets/curating.svelte.ts';
import { RowQuery } from '../../renderer/features/datasets/row-query.svelte.ts';
import { RowsView } from '../../renderer/features/datasets/rows-view.svelte.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('rows of a dataset', () => {
  const row = (index: number) => ({ row: index, prompt: `p${index}` }) as QueryRow;
  const all = Array.from({ length: 450 }, (_, index) => row(index));

  const facets = () => Promise.resolve({ total: 450, facets: [] });
  const pageOf = (rows: readonly QueryRow[], offset = 0, limit = 100) => ({
    total: rows.length,
    more: offset + limit < rows.length,
    rows: rows.slice(offset, offset + limit),
  });

  it('are fetched only for pages in view, each page once', async () => {
    const offsets: number[] = [];
    const rows = new RowQuery(
      {
        page: async ({ offset, limit }) => {
          offsets.push(offset);
          return pageOf(all, offset, limit);
        },
        facets,
      },
      () => undefined,
    );
    await settled();
    rows.need(180, 220);
    rows.need(190, 230);
    await settled();
    expect(offsets).toEqual([0, 100, 200]);
    expect([rows.total, rows.at(5)?.row, rows.at(215)?.row, rows.at(400)]).toEqual([450, 5, 215, undefined]);
  });

  it('ignore the reply to an outdated query', async () => {
    let release: (() => void) | undefined;
    const rows = new RowQuery(
      {
        page: async ({ query }) => {
          if (query === 'slow')
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          return pageOf([row(query === 'fast' ? 7 : 8)]);
        },
        facets: () => Promise.resolve({ total: 1, facets: [] }),
      },
      () => undefined,
    );
    rows.ask('slow');
    rows.ask('fast');
    await settled();
    release?.();
    await settled();
    expect([rows.total, rows.at(0)?.row]).toEqual([1, 7]);
  });

  it('are requested again after a failure', async () => {
    let fail = true;
    const errors: unknown[] = [];
    const rows = new RowQuery(
      {
        page: async () => {
          if (fail) throw new WhetstoneError('internal', 'no');
          return pageOf([row(0)]);
        },
        facets: () => new Promise(() => undefined),
      },
      (error) => errors.push(error),
    );
    await settled();
    expect([errors.length, rows.total]).toEqual([1, null]);
    fail = false;
    rows.again();
    await settled();
    expect(rows.total).toBe(1);
  });

  it('show the fault of a query by its term, and ask nothing', async () => {
    const asked: string[] = [];
    const rows = new RowQuery(
      {
        page: async ({ query }) => {
          asked.push(query);
          return pageOf(all);
        },
        facets,
      },
      () => undefined,
    );
    rows.ask('wrong length>many');
    await settled();
    expect([rows.fault?.where, asked]).toEqual(['length>many', ['']]);
    rows.toggle('right');
    expect(rows.query).toBe('wrong length>many right');
  });

  it('are the same again from the address of their view', () => {
    const source = { page: async () => pageOf(all), facets };
    const kept: unknown[] = [];
    const on = { error: () => undefined, facets: () => undefined, keep: (each: unknown) => kept.push(each) };
    const view = new RowsView(source, { q: 'wrong "a b"', sort: '-length', cols: 'line,my%2Ccolumn' }, on);
    expect(view.columns).toEqual(['line', 'my,column']);
    expect(view.rows.sort).toEqual({ column: 'length', descending: true });
    view.rows.sortBy('length');
    view.chooseColumns([]);
    expect(kept).toEqual([{ q: 'wrong "a b"', sort: undefined, cols: undefined }]);
  });
});

describe('a change of rows', () => {
  const opened = () => {
    const seen: string[] = [];
    const settle = Promise.withResolvers<{ ok: true }>();
    const state = new CurationState(
      {
        change: () => () => void seen.push('closed'),
        undo: () => () => undefined,
        redo: () => () => undefined,
        settle: () => settle.promise,
        add: async () => ({ row: 1 }),
        history: async () => [],
        row: async () => [],
      },
      {
        id: 'd',
        author: 'me',
        on: {
          error: (error) => void seen.push(WhetstoneError.from(error).kind),
          step: () => undefined,
          nothing: () => undefined,
          changed: () => void seen.push('changed'),
        },
      },
    );
    state.change({ rows: [1] }, { kind: 'note', value: 'first' });
    return { state, seen, settle };
  };

  it('is refused with a conflict while another is running', () => {
    const { state, seen } = opened();
    state.change({ rows: [2] }, { kind: 'note', value: 'second' });
    expect([state.busy, seen]).toEqual([true, ['conflict']]);
  });

  it('that is cancelled keeps others from starting until it was taken back, then rows are read again', async () => {
    const { state, seen, settle } = opened();
    const cancelled = state.cancel();
    await settled();
    expect([state.busy, seen]).toEqual([true, ['closed']]);
    settle.resolve({ ok: true });
    await cancelled;
    expect([state.busy, seen]).toEqual([false, ['closed', 'changed']]);
  });

  /** Two steps are applied; undo and redo wait for `ends`, which a fault may be given to. */
  const stepping = async () => {
    const step = (sequence: number, state: CurationEvent['state']): CurationEvent => ({
      sequence,
      event: 'exclude',
      field: null,
      value: null,
      rows: 1,
      state,
      author: 'me',
      at: 0,
      undoes: null,
      query: null,
    });
    const seen = { applied: 2, asked: [] as string[], errors: 0 };
    const ends: ((error?: Error) => void)[] = [];
    const stored =
      (name: string, by: number) => (_: unknown, __: unknown, end?: (error?: unknown) => void) => {
        seen.asked.push(name);
        ends.push((error) => {
          if (!error) seen.applied += by;
          end?.(error);
        });
        return () => undefined;
      };
    const client = {
      change: () => () => undefined,
      undo: stored('undo', -1),
      redo: stored('redo', 1),
      settle: async () => ({ ok: true }) as const,
      add: async () => ({ row: 1 }),
      history: async () => [2, 1].map((each) => step(each, each <= seen.applied ? 'applied' : 'undone')),
      row: async () => [],
    };
    const nothing = () => undefined;
    const on = { error: () => void seen.errors++, step: nothing, nothing, changed: nothing };
    const state = new CurationState(client, { id: 'd', author: 'me', on });
    await settled();
    return { state, seen, ends };
  };

  it('that is undone by keys pressed faster than it is stored takes each step back in its turn', async () => {
    const { state, seen, ends } = await stepping();
    for (const key of ['undo', 'undo', 'undo', 'redo'] as const) state[key]();
    expect([state.busy, seen.asked]).toEqual([true, ['undo']]);
    while (ends.length > 0) {
      ends.shift()?.();
      await settled();
    }
    // the third has nothing to take back
    expect([state.busy, seen]).toEqual([false, { applied: 1, asked: ['undo', 'undo', 'redo'], errors: 0 }]);
  });

  it('whose undo fails leaves out the steps that wait, and can be undone again', async () => {
    const { state, seen, ends } = await stepping();
    for (const key of ['undo', 'undo'] as const) state[key]();
    ends.shift()?.(new Error('disk full'));
    await settled();
    expect([state.busy, seen]).toEqual([false, { applied: 2, asked: ['undo'], errors: 1 }]);
    state.undo();
    expect(seen.asked).toEqual(['undo', 'undo']);
  });
});
