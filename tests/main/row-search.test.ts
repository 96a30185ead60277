import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { indexRows, matchingRows, type RowSearch } from '../../main/store/row-search.ts';
import { atOnce } from '../../main/store/slices.ts';
import { migrations } from '../../main/store/migrations/index.ts';
import { marked, searchWords } from '../../preload/wire/row-search.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Prompt, answer and mark of each row. */
const rows: readonly (readonly [string, string, 0 | 1 | null])[] = [
  ['Two Bolts of blue fiber for a robe', '3', 1],
  ['A robe', 'takes bolts', 0],
  ['Robes and wardrobes', 'none', null],
  ['wardrobe, bolts', 'none', null],
  ['8+9=?', '17', 1],
  ['18+9=?', '27', 0],
  ['9 and 8', 'x²', null],
  ['100%_sure (yes)', 'café', 1],
  ['加法很简单', '简单', 1],
];
const found = (db: Db, search: string, show: RowSearch['show'] = 'all', id = 'd'): number[] => [
  ...atOnce(matchingRows(db, { id, search, show, offset: 0, limit: 100 })).page,
];

function fill(db: Db, id: string): void {
  db.prepare(
    "insert into datasets (id, name, source, hash, created_at, rows, doctor, visible) values (?, 'set', 'f', " +
      "'h', 5, 1, '{}', 1)",
  ).run(id);
  const insert = db.prepare(
    'insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, correct, source) ' +
      "values (?, ?, 1, 'p', ?, ?, ?, '')",
  );
  rows.forEach(([prompt, answer, correct], row) => insert.run(id, row, prompt, answer, correct));
}

describe.each([true, false])('a search of rows, indexed: %s', (isIndexed) => {
  let db: Db;
  const opened = (at: string): Db => {
    const other = openDatabase(at, { create: false });
    onTestFinished(() => void other.close());
    return other;
  };
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'whetstone-'));
    db = openDatabase(join(folder, 'workspace.db'), { create: true });
    fill(db, 'other');
    fill(db, 'd');
    if (isIndexed) atOnce(indexRows(db));
    return () => {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  it.each<[string, readonly number[]]>([
    ['', rows.map((_, row) => row)],
    ['robe bolts', [0, 1]],
    ['BOLT', [0, 1, 3]],
    ['robe', [0, 1, 2]],
    ['8+9', [4]],
    ['8 9', [4, 6]],
    ['+9', [4, 5]],
    ['x²', [6]],
    ['%', [7]],
    ['(yes) café', [7]],
    ['cafe', []],
    ['很简', [8]],
    ['100%_sure', [7]],
    ['"robe" OR bolts', []],
  ])('for “%s” finds the rows that have all its words', (search, expected) => {
    expect(found(db, search)).toEqual(expected);
  });

  it.each(['', 'bolts', '9', '+9', '简'])(
    'for “%s” counts all matches of which it returns a page',
    (search) => {
      const all = found(db, search);
      for (let offset = 0; offset <= all.length; offset++)
        expect(atOnce(matchingRows(db, { id: 'd', search, show: 'all', offset, limit: 1 }))).toEqual({
          total: all.length,
          page: all.slice(offset, offset + 1),
        });
    },
  );

  it('finds no row of another dataset, and only those with the mark', () => {
    expect(found(db, 'bolts', 'correct')).toEqual([0]);
    expect(found(db, '9', 'unmarked')).toEqual([6]);
    expect(found(db, '+9', 'wrong')).toEqual([5]);
    expect(found(db, '', 'unmarked')).toEqual([2, 3, 6]);
    expect(found(db, 'bolts', 'all', 'nowhere')).toEqual([]);
  });

  it('finds rows that an earlier version imported, those of a copy, and none that were removed', () => {
    const old = join(temporaryFolder(), 'workspace.db');
    const before = openDatabase(old, { create: true, migrations: migrations.filter((m) => m.version < 9) });
    fill(before, 'd');
    before.close();
    const now = opened(old);
    if (isIndexed) atOnce(indexRows(now));
    expect(found(now, 'robe bolts')).toEqual([0, 1]);

    const path = join(temporaryFolder(), 'workspace.db');
    db.prepare('vacuum into ?').run(path);
    const copy = opened(path);
    expect(found(copy, 'robe bolts')).toEqual([0, 1]);
    copy.prepare("delete from dataset_rows where dataset_id = 'd'").run();
    expect(found(copy, 'robe bolts')).toEqual([]);
    expect(found(copy, 'robe bolts', 'all', 'other')).toEqual([0, 1]);
    expect(copy.prepare("select count(*) n from row_search where row_search match 'robe*'").get()).toEqual({
      n: isIndexed ? 3 : 0,
    });
  });
});

describe('the matches in a text', () => {
  const shown = (text: string, search: string) =>
    marked(text, searchWords(search))
      .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
      .join('');

  it('are the parts for which the row was found', () => {
    expect(shown('Two Bolts for a wardrobe, a robe', 'robe bolt')).toBe(
      'Two [Bolt]s for a wardrobe, a [robe]',
    );
    expect(shown('18+9 is not 8+9', '8+9')).toBe('18+9 is not [8+9]');
    expect(shown('robes', 'robe robes')).toBe('[robe][s]');
    expect(shown('as it is', '')).toBe('as it is');
  });
});
