import { describe, expect, it } from 'vitest';
import type { SqlResult, SqlValue } from '../../preload/contract/sql.ts';
import { atOnce } from '../../main/store/slices.ts';
import { parseQuery } from '../../preload/wire/query.ts';
import { SqlState } from '../../renderer/features/datasets/sql/sql.svelte.ts';
import {
  csvOf,
  examplesFor,
  inserted,
  numericOf,
  rowsOf,
} from '../../renderer/features/datasets/sql/text.ts';
import { asking } from '../support/sql.ts';
import { opened } from '../support/curated.ts';

const resultOf = (columns: readonly string[], ...rows: readonly SqlValue[][]): SqlResult => ({
  columns: [...columns],
  rows: [...rows],
  total: rows.length,
  isExact: true,
});

describe('the rows that a result names', () => {
  it('are a query of numbers and ranges, excluded rows included', () => {
    expect(rowsOf(resultOf(['n', 'Row'], [1, 9], [2, 4], [3, 5], [4, 6], [5, 4], [6, null]))).toEqual({
      query: '(row:4..6 OR row=9) (is:included OR is:excluded)',
      shown: 4,
      total: 4,
    });
  });

  it('are as many as a query can hold', () => {
    const rows = Array.from({ length: 3000 }, (_none, i): SqlValue[] => [2 * i]);
    const named = rowsOf(resultOf(['row'], ...rows));
    expect(named?.query.length).toBeLessThanOrEqual(4000);
    expect(named?.total).toBe(3000);
    expect(named?.shown).toBeGreaterThan(200);
    expect(named && parseQuery(named.query)).toMatchObject({ kind: 'all' });
  });

  it('are none without a column of row numbers', () => {
    expect(rowsOf(resultOf(['prompt'], ['row']))).toBeNull();
    expect(rowsOf(resultOf(['row'], ['text'], [1.5], [-1], [null]))).toBeNull();
  });
});

describe('a result', () => {
  it('is CSV with quoted cells', () => {
    expect(csvOf(resultOf(['a', 'b "c"'], [1, 'x, "y"\nz'], [null, 'é']))).toBe(
      'a,"b ""c"""\r\n1,"x, ""y""\nz"\r\n,é\r\n',
    );
  });

  it('has numbers to the right where a column has nothing else', () => {
    expect(numericOf(resultOf(['a', 'b', 'c'], [1, 'x', null], [null, 2, null]))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

it('a name is inserted in place of the selection, apart from words around it', () => {
  expect(inserted('select  from rows', 7, 7, '"a b"')).toEqual({ text: 'select "a b" from rows', caret: 12 });
  expect(inserted('select x from', 7, 8, 'row')).toEqual({ text: 'select row from', caret: 10 });
  expect(inserted('wherefrom', 5, 5, 'row')).toEqual({ text: 'where row from', caret: 10 });
});

it('the examples run on a dataset with columns of its own, and without', () => {
  const store = opened(4);
  const columns = atOnce(store.modules.sql.columns('d'));
  expect(columns.map(({ name }) => name)).toContain('level');
  for (const each of [columns, columns.filter(({ kind }) => kind === 'built-in')])
    for (const example of examplesFor(each)) expect(asking(store.db).ask(example).total).toBeGreaterThan(0);
});

describe('the SQL of a dataset', () => {
  /** A state whose statements are answered by the test. */
  function stated(statements: readonly string[] = []) {
    const kept: (readonly string[])[] = [];
    const asked: {
      sql: string;
      closed: boolean;
      value(result: SqlResult): void;
      end(error?: unknown): void;
    }[] = [];
    const client = {
      columns: () => Promise.resolve([]),
      run: (
        { sql }: { sql: string },
        onValue: (value: { seconds: number; result: SqlResult }) => void,
        onEnd?: (error?: unknown) => void,
      ) => {
        const call = {
          sql,
          closed: false,
          value: (result: SqlResult) => onValue({ seconds: 1, result }),
          end: (error?: unknown) => onEnd?.(error),
        };
        asked.push(call);
        return () => {
          call.closed = true;
        };
      },
    };
    const state = new SqlState(client as never, 'd', { statements, keep: (all) => kept.push(all) });
    return { state, asked, kept };
  }

  it('runs one statement at a time, and keeps each once, the last one first', () => {
    const { state, asked, kept } = stated(['old', 'older']);
    expect(state.text).toBe('old');
    state.text = ' older ';
    state.run();
    state.run();
    expect(asked.map(({ sql }) => sql)).toEqual(['older']);
    expect(kept).toEqual([['older', 'old']]);
    asked[0].value(resultOf(['a'], [1]));
    asked[0].end();
    expect([state.busy, state.result?.rows]).toEqual([false, [[1]]]);
    state.text = '  ';
    state.run();
    expect(asked).toHaveLength(1);
  });

  it('shows a fault in place of the result, and a cancelled statement leaves the one before', () => {
    const { state, asked } = stated(['first']);
    state.run();
    asked[0].value(resultOf(['a'], [1]));
    asked[0].end();
    state.run();
    state.cancel();
    expect([asked[1].closed, state.busy, state.result?.rows]).toEqual([true, false, [[1]]]);
    state.run();
    asked[2].end({ kind: 'invalid-input', message: 'SQLite: no such column: x' });
    expect([state.error?.message, state.result]).toEqual(['SQLite: no such column: x', null]);
  });
});
