import { describe, expect, it } from 'vitest';
import type { SqlResult } from '../../preload/contract/sql.ts';
import type { ColumnDefinition } from '../../preload/contract/columns.ts';
import { storedCells } from '../../main/store/rows/computed-cells.ts';
import { fillParts, outdatePart } from '../../main/store/rows/fill.ts';
import { atOnce } from '../../main/store/slices.ts';
import { cli } from '../support/cli.ts';
import { by, opened } from '../support/curated.ts';
import { caught, rejected } from '../support/errors.ts';
import { asking } from '../support/sql.ts';
import { datasetForTest, servicesForTest } from '../support/workspace.ts';

/** Rows of a dataset with these extra cells. */
function withExtras(...extras: readonly Readonly<Record<string, unknown>>[]) {
  const store = opened(extras.length);
  const put = store.db.prepare("update dataset_rows set extra = ? where dataset_id = 'd' and row = ?");
  for (const [row, extra] of extras.entries()) put.run(JSON.stringify(extra), row);
  outdatePart(store.db, 1, 0);
  atOnce(fillParts(store.db));
  const columns = () => atOnce(store.modules.sql.columns('d'));
  return { ...store, ...asking(store.db), columns };
}

describe('SQL over the rows of a dataset', () => {
  it('returns names, values and the number of rows', () => {
    const { ask } = asking(opened(12).db);
    expect(
      ask('select source, count(*) n, avg(length(answer)) mean, sum(right) from rows group by source'),
    ).toEqual({
      columns: ['source', 'n', 'mean', 'sum(right)'],
      rows: [['file', 12, 98 / 12, 6]],
      total: 1,
      isExact: true,
    });
    expect(ask('select row, prompt, answer, right, level from rows where row between 2 and 3')).toMatchObject(
      {
        rows: [
          [2, 'question 0', 'answer 2', 0, 2],
          [3, 'question 0', 'answer 3', 1, 3],
        ],
      },
    );
    expect(ask('with few as (select * from rows where level = 1) select count(*) from few;')).toMatchObject({
      rows: [[3]],
    });
    expect(ask("values (1, null), (2.5, 'two')").rows).toEqual([
      [1, null],
      [2.5, 'two'],
    ]);
  });

  it('reads no more rows than a limit asks for, again and again', () => {
    const { rows } = asking(opened(12).db);
    for (let turn = 0; turn < 3; turn += 1)
      expect(rows('select row, prompt from rows limit 2')).toEqual([
        [0, 'question 0'],
        [1, 'question 0'],
      ]);
  });

  it('reads the same cells before and after the background fills the columns', () => {
    const { db } = opened(12);
    const sql = 'select row, line, length, promptlength, right, source, level from rows';
    const before = asking(db).rows(sql);
    atOnce(fillParts(db));
    expect(asking(db).rows(sql)).toEqual(before);
    expect(before[11]).toEqual([11, 12, 9, 10, 1, 'file', 1]);
  });

  it('joins the rows with themselves, and with the elements of a list', () => {
    const { rows, value } = asking(opened(12).db);
    expect(
      rows(
        'select a.row, b.row from rows a join rows b on a.prompt = b.prompt and a.row < b.row where a.row < 2 order by 1, 2',
      ),
    ).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
    ]);
    expect(value('select count(*) from rows a, rows b')).toBe(144);
    expect(
      rows("select answer from json_each('[3, 5]') j join rows r on r.row = j.value order by 1"),
    ).toEqual([['answer 3'], ['answer 5']]);
    expect(value('select max(level) from rows where length = (select min(length) from rows)')).toBe(4);
  });

  it('sees edits, exclusions, tags, notes and computed columns as the query bar does', () => {
    const store = opened(12);
    const { curation, computed } = store.modules;
    store.edit([2, 3], 'answer', 'better');
    store.edit([4], 'level', 'none');
    store.note([5], 'look again');
    curation.mark('d', { event: 'exclude', value: null }, [6, 7], by);
    curation.mark('d', { event: 'tag', value: 'a "b"' }, [7, 8], by);
    const definition: ColumnDefinition = { by: 'code', code: 'answer.length', timeMs: 200 };
    atOnce(
      computed.add(
        'd',
        {
          name: 'Half Size',
          definition,
          author: 'me',
          query: '',
          since: atOnce(computed.prepare('d', 'Half Size')),
        },
        storedCells(Array.from({ length: 12 }, (_none, row) => (row === 1 ? null : row / 2))),
      ),
    );
    const { rows } = asking(store.db);
    const found = (where: string): unknown[] => rows(`select row from rows where ${where}`).flat();
    expect(found("answer = 'better'")).toEqual(store.numbers('answer=better'));
    expect(found("level = 'none'")).toEqual([4]);
    expect(found('excluded')).toEqual(store.numbers('is:excluded'));
    expect(rows('select row, tags from rows where tags is not null')).toEqual([
      [7, '["a \\"b\\""]'],
      [8, '["a \\"b\\""]'],
    ]);
    expect(found('exists (select 1 from json_each(tags) where value = \'a "b"\')')).toEqual([7, 8]);
    expect(found('edited')).toEqual(store.numbers('is:edited'));
    expect(found("note like '%again'")).toEqual([5]);
    expect(found('"half size" >= 5')).toEqual([10, 11]);
    expect(found('"Half Size" is null')).toEqual([1]);
  });
});

describe('columns of the table', () => {
  it('have odd names, quoted where they must be', () => {
    const { columns, rows } = withExtras({
      'two words': 1,
      'say "so"': 2,
      select: 3,
      row: 4,
      Score: 5,
      score: 6,
      'extra.Score': 7,
      Größe: 8,
      '🍎': 9,
      'a\0b': 10,
      "it's": 11,
    });
    const own = columns().filter(({ kind }) => kind === 'extra');
    expect(own.map(({ name }) => name).sort()).toEqual(
      [
        'two words',
        'say "so"',
        'select',
        'extra.row',
        'Score',
        'extra.score 2',
        'extra.Score',
        'Größe',
        '🍎',
        'a�b',
        "it's",
      ].sort(),
    );
    const read = rows(`select ${own.map(({ written }) => written).join(', ')} from rows`);
    const values = [...read[0]].sort((a, b) => Number(a) - Number(b));
    expect(values).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(rows('select "two words", "say ""so""", "select", [extra.row], row, Größe from rows')).toEqual([
      [1, 2, 3, 4, 0, 8],
    ]);
  });

  it('keep whole numbers, fractions, texts, truth values and lists apart', () => {
    const { rows } = withExtras(
      { whole: 7, part: 1, mixed: 1, yes: true, code: '007', list: [1, 2], big: 2 ** 60, gone: null },
      { whole: 2, part: 0.5, mixed: 'one', yes: false, code: '1', list: { a: 'ß' }, big: -1, gone: 'no' },
    );
    expect(rows('select whole / 2, part / 2, mixed, yes, code, list, gone from rows')).toEqual([
      [3, 0.5, 1, 1, '007', '[1,2]', null],
      [1, 0.25, 'one', 0, '1', '{"a":"ß"}', 'no'],
    ]);
    expect(
      rows('select sum(yes), count(gone), max(big) = 1152921504606846976, typeof(min(code)) from rows'),
    ).toEqual([[1, 1, 1, 'text']]);
    expect(rows("select json_extract(list, '$[1]') from rows where json_type(list) = 'array'")).toEqual([
      [2],
    ]);
  });

  it('are read from the rows where there are more than the index keeps', () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_none, i) => [`c${i}`, i]));
    const { columns, rows } = withExtras(wide, { c0: 5 });
    expect(columns().length).toBeGreaterThan(200);
    expect(rows('select c0, c100 from rows')).toEqual([
      [0, 100],
      [5, null],
    ]);
  });
});

describe('values of a result', () => {
  it('are texts where a number or bytes have no exact form', () => {
    const { rows } = asking(opened(1).db);
    expect(rows("select x'00ff', 9007199254740993, 9e999, -9e999, null, 0.1, cast('é🍎' as blob)")).toEqual([
      ["x'00ff'", '9007199254740993', 'Infinity', '-Infinity', null, 0.1, "x'c3a9f09f8d8e'"],
    ]);
  });

  it('are bounded: rows beyond the limit are counted, and long texts are cut', () => {
    const { ask } = asking(opened(12).db);
    expect(ask('select row from rows', 5)).toMatchObject({
      rows: [[0], [1], [2], [3], [4]],
      total: 12,
      isExact: true,
    });
    const [[long]] = ask("select printf('%.*c', 3000000, 'x')").rows;
    expect(String(long)).toHaveLength(1_000_001);
    const many = ask(
      "with recursive c(x) as (select 1 union all select x + 1 from c limit 60) select printf('%.*c', 1000000, 'x') from c",
    );
    expect(many).toMatchObject({ total: 60, isExact: true });
    expect(many.rows).toHaveLength(32);
    expect(ask('select * from rows where 0')).toMatchObject({ rows: [], total: 0 });
  });

  it('stop being counted when an endless result has filled the page', () => {
    const { ask } = asking(opened(1).db);
    const endless = ask('with recursive c(x) as (select 1 union all select x + 1 from c) select x from c', 3);
    expect(endless).toMatchObject({ rows: [[1], [2], [3]], isExact: false });
    expect(endless.total).toBeGreaterThan(3);
  }, 20_000);
});

describe('a statement', () => {
  const refusing =
    (ask: (sql: string) => SqlResult) =>
    (sql: string): string => {
      const { kind, message } = caught(() => ask(sql));
      expect(kind).toBe('invalid-input');
      return message;
    };

  it.each([
    "attach '/etc/passwd' as other",
    "attach database 'workspace.db' as other",
    'pragma database_list',
    'pragma query_only = off',
    'explain select * from rows',
    'insert into rows values (1)',
    'insert into rows (row) values (1) returning row',
    'update rows set row = 1 returning row',
    'delete from rows',
    'drop table rows',
    'create table t (x)',
    'create temp view v as select 1',
    "vacuum into 'copy.db'",
    'begin',
    'reindex',
    '/* select */ delete from rows',
    '-- select\ndelete from rows returning row',
    'with x as (select 1) insert into rows (row) select * from x',
  ])('that does more than read is refused: %s', (sql) => {
    expect(refusing(asking(opened(4).db).ask)(sql)).toMatch(
      /^(Only a statement that reads rows is run\.|SQLite: )/,
    );
  });

  it.each([
    'select 1; select 2',
    'select 1; drop table rows',
    "select 1; attach '/etc/passwd' as other",
    'select * from rows; --\nselect 1',
  ])('runs alone: %s', (sql) => {
    expect(refusing(asking(opened(4).db).ask)(sql)).toBe('There is more than one statement.');
  });

  it('reaches no other table, file or extension', () => {
    const { db } = opened(4);
    const { ask, rows } = asking(db);
    const refused = refusing(ask);
    const tables = db
      .prepare<[], string>(
        "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite_%'",
      )
      .pluck()
      .all();
    expect(tables).toContain('label_events');
    for (const name of tables)
      for (const schema of ['', 'main.', 'temp.', 'workspace.', 'source.'])
        expect(refused(`select * from ${schema}${name}`), name).toMatch(
          /^SQLite: (no such table|unknown database)/,
        );
    expect(rows('select name from sqlite_schema')).toEqual([]);
    expect(rows('select name from pragma_table_list').flat().sort()).not.toContain('label_events');
    expect(rows('select file from pragma_database_list').flat().join('')).toBe('');
    expect(refused("select load_extension('x')")).toMatch(/SQLite: /);
    for (const call of ["readfile('/etc/passwd')", "writefile('x', 'y')", "edit('x')"])
      expect(refused(`select ${call}`)).toMatch(/SQLite: /);
    expect(refused('select * from pragma_query_only(0)')).toMatch(/SQLite: /);
  });

  it('with a fault is answered by the message of SQLite', () => {
    const { ask } = asking(opened(4).db);
    const refused = refusing(ask);
    expect(refused('select nowhere from rows')).toBe('SQLite: no such column: nowhere');
    expect(caught(() => ask('select nowhere from rows')).hint).toContain('The table is called rows');
    expect(refused('select * from row')).toBe('SQLite: no such table: row');
    expect(refused('select (')).toBe('SQLite: incomplete input');
    expect(refused('select selec from')).toMatch(/^SQLite: /);
    expect(refused("select json('{')")).toBe('SQLite: malformed JSON');
    expect(refused('')).toBe('There is no statement.');
    expect(refused(' -- only a comment')).toBe('There is no statement.');
    expect(refused('select ?')).toBe('The statement has a parameter without a value.');
    expect(refused('select :name from rows')).toBe('The statement has a parameter without a value.');
  });

  it('leaves the workspace as it was', () => {
    const { db } = opened(4);
    const before = db.pragma('data_version', { simple: true });
    asking(db).ask('select * from rows a join rows b on a.row = b.row');
    expect(db.pragma('data_version', { simple: true })).toBe(before);
  });
});

describe('a process of a statement', () => {
  const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

  it('returns the result, or the fault', async () => {
    const { services } = await servicesForTest();
    const dataset = await datasetForTest(services.store);
    const { signal } = new AbortController();
    const ask = (sql: string) => services.sql.run({ dataset, sql, limit: 10, seconds: 30 }, signal);
    expect((await ask("select count(*), 'Ähre' from rows where right")).rows).toEqual([[4, 'Ähre']]);
    expect((await rejected(ask('select x from rows'))).message).toBe('SQLite: no such column: x');
    expect(
      await rejected(services.sql.run({ dataset: 'none', sql: 'select 1', limit: 1, seconds: 30 }, signal)),
    ).toMatchObject({ kind: 'not-found' });
  });

  it('ends at its time limit, when cancelled, and when the workspace closes', async () => {
    const { services, close } = await servicesForTest();
    const dataset = await datasetForTest(services.store);
    const input = { dataset, sql: endless, limit: 10 };
    const late = await rejected(services.sql.run({ ...input, seconds: 1 }, new AbortController().signal));
    expect(late).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('after 1 s') as string,
    });
    const stop = new AbortController();
    const stopped = rejected(services.sql.run({ ...input, seconds: 60 }, stop.signal));
    setTimeout(() => stop.abort(), 500);
    expect((await stopped).kind).toBe('cancelled');
    expect((await rejected(services.sql.run({ ...input, seconds: 60 }, stop.signal))).kind).toBe('cancelled');
    const open = rejected(services.sql.run({ ...input, seconds: 60 }, new AbortController().signal));
    await close();
    expect((await open).kind).toBe('cancelled');
  }, 20_000);
});

describe('the command sql', () => {
  it('prints a table, JSON and the columns, and fails with a sentence', async () => {
    const { services, close } = await servicesForTest();
    const [id, { folder }] = [await datasetForTest(services.store), services];
    await close();
    const at = ['--workspace', folder];
    const plain = await cli('sql', id, 'select row, prompt from rows', '--limit', '2', ...at);
    expect(plain.out).toMatch(/row +prompt\n0 +question 0\n1 +question 0\n12 rows, 2 shown, /);
    expect((await cli('sql', id, 'select count(*) n from rows', '--json', ...at)).value).toEqual({
      columns: ['n'],
      rows: [[12]],
      total: 1,
      isExact: true,
    });
    expect((await cli('sql', id, '--columns', ...at)).out).toMatch(/row +number of the row, from 0\n/);
    const bad = await cli('sql', id, 'drop table rows', '--json', ...at);
    expect([bad.code, bad.value]).toMatchObject([1, { error: { kind: 'invalid-input' } }]);
  }, 30_000);
});
