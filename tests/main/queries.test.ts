import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { rowQueries } from '../../main/store/rows/index.ts';
import { binWidth } from '../../main/store/rows/facets.ts';
import { orderOf } from '../../main/store/rows/order.ts';
import { fillParts } from '../../main/store/rows/fill.ts';
import { indexRows } from '../../main/store/row-search.ts';
import { atOnce } from '../../main/store/slices.ts';
import { columnsFor } from '../../renderer/features/datasets/row-columns.ts';
import { parseQuery } from '../../preload/wire/query.ts';
import { caught } from '../support/errors.ts';

interface Given {
  readonly prompt: string;
  readonly answer: string;
  readonly correct: 0 | 1 | null;
  readonly source: string;
  readonly reference: string | null;
  readonly extra: Record<string, unknown> | null;
}
const row = (prompt: string, answer: string, rest: Partial<Given> = {}): Given => ({
  prompt,
  answer,
  correct: null,
  source: '',
  reference: null,
  extra: null,
  ...rest,
});
const given: readonly Given[] = [
  row('Two bolts for a robe', 'three', {
    correct: 1,
    source: 'model-6b',
    extra: { level: 3, topic: 'sewing' },
  }),
  row('A robe', 'takes bolts of cloth', {
    correct: 0,
    source: 'model-6b',
    extra: { level: 0.5, topic: 'Sewing' },
  }),
  row('robe bolts', 'x'.repeat(500), { source: 'model-70b', extra: { level: 10, 'long name': 'a b' } }),
  row('Sums', '18+9=27', { correct: 1, reference: '27', extra: { level: 7, isEasy: true } }),
  row('Sums', '8+9=17', { correct: 0, reference: '17', extra: { topic: 'sums', list: [1, 2] } }),
  row('', 'RIGHT or wrong', { source: 'by hand' }),
];

function fill(db: Db, rows: readonly Given[], id = 'd'): void {
  db.prepare("insert into datasets values (?, 'set', 'f', 'h', 5, ?, '{}', 1)").run(id, rows.length);
  const insert = db.prepare(
    'insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, correct, source, reference, ' +
      "extra) values (?, ?, ?, 'p', ?, ?, ?, ?, ?, ?)",
  );
  db.transaction(() =>
    rows.forEach(({ prompt, answer, correct, source, reference, extra }, at) =>
      insert.run(id, at, at + 1, prompt, answer, correct, source, reference, extra && JSON.stringify(extra)),
    ),
  )();
}
const opened = (rows: readonly Given[], isFilled: boolean): { db: Db; close: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-'));
  const db = openDatabase(join(folder, 'workspace.db'), { create: true });
  db.pragma('synchronous = OFF');
  fill(db, rows);
  if (isFilled) {
    atOnce(fillParts(db));
    atOnce(indexRows(db));
  }
  return {
    db,
    close: () => {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
const queries = (db: Db) => rowQueries({ db, folder: '', tidy: () => undefined, making: new Set() });
const pageOf = (db: Db, query: string, sort: { column: string; descending: boolean } | null = null) =>
  atOnce(queries(db).page({ id: 'd', query, sort, offset: 0, limit: 500 }));
const found = (db: Db, query: string): number[] => pageOf(db, query).rows.map((each) => each.row);

describe.each([true, false])('a query, with columns and index filled: %s', (isFilled) => {
  let db: Db;
  beforeAll(() => {
    const workspace = opened(given, isFilled);
    ({ db } = workspace);
    return workspace.close;
  });

  it.each<[string, readonly number[]]>([
    ['', [0, 1, 2, 3, 4, 5]],
    ['robe bolts', [0, 1, 2]],
    ['"robe bolts"', [2]],
    ['-"robe bolts"', [0, 1, 3, 4, 5]],
    ['robe -bolts', []],
    ['right', [0, 3]],
    ['unmarked', [2, 5]],
    ['"right"', [5]],
    ['-right -wrong', [2, 5]],
    ['source:6b', [0, 1]],
    ['source="model-70b"', [2]],
    ['source=6b', []],
    ['source:"by hand"', [5]],
    ['has:source', [0, 1, 2, 5]],
    ['has:reference', [3, 4]],
    ['-has:topic', [2, 3, 5]],
    ['reference:7', [3, 4]],
    ['reference=27', [3]],
    ['length>400', [2]],
    ['length:5..7', [0, 3, 4]],
    ['length:..6', [0, 4]],
    ['promptlength=0', [5]],
    ['level>=0.5 level<=3', [0, 1]],
    ['level=7', [3]],
    ['LEVEL:10..', [2]],
    ['topic=sewing', [0, 1]],
    ['topic:s', [0, 1, 4]],
    ['"long name":B', [2]],
    ['isEasy:true', [3]],
    ['list:"[1,2]"', [4]],
    ['extra.level>5', [2, 3]],
    ['robe OR sums', [0, 1, 2, 3, 4]],
    ['(robe OR sums) right', [0, 3]],
    ['-(robe OR sums)', [5]],
    ['8+9', [4]],
    ['line:2..3', [1, 2]],
    ['row=4', [4]],
    ['answer:bolts', [1]],
    ['prompt:bolts', [0, 2]],
    ['wrong source:6b length>4 -tag:dup "bolts of"', [1]],
    ['is:excluded', []],
    ['tag:none', []],
  ])('%s', (query, rows) => {
    expect(found(db, query)).toEqual(rows);
    expect(atOnce(queries(db).facets({ id: 'd', query })).total).toBe(rows.length);
  });

  it.each<[string, string]>([
    ['robe "bolts', '"bolts'],
    ['robe OR', 'OR'],
    ['OR robe', 'OR'],
    ['(robe', '('],
    ['robe)', ')'],
    ['colour:red', 'colour:red'],
    ['length>many', 'length>many'],
    ['topic>3', 'topic>3'],
    ['level:high', 'level:high'],
    ['source:', 'source:'],
    ['is:good', 'is:good'],
    ['mark:good', 'mark:good'],
    ['-', 'none'],
  ])('%s with a fault gets an error that names the term', (query, term) => {
    if (term === 'none') expect(found(db, query)).toEqual([]);
    else expect(caught(() => pageOf(db, query))).toMatchObject({ kind: 'invalid-input', where: term });
  });

  it('is sorted by any column, both ways, with rows without a value last', () => {
    const sorted = (column: string, descending: boolean) =>
      pageOf(db, '', { column, descending }).rows.map((each) => each.row);
    expect(sorted('length', false)).toEqual([0, 4, 3, 5, 1, 2]);
    expect(sorted('length', true)).toEqual([2, 1, 5, 3, 4, 0]);
    expect(sorted('level', true)).toEqual([2, 3, 0, 1, 4, 5]);
    expect(sorted('source', false)).toEqual([5, 0, 1, 2, 3, 4]);
    expect(sorted('mark', false)).toEqual([0, 3, 2, 5, 1, 4]);
    expect(caught(() => sorted('colour', true)).where).toBe('colour');
  });

  it('has facets whose counts are those of the queries behind them', () => {
    const { facets } = atOnce(queries(db).facets({ id: 'd', query: '-"by hand"' }));
    expect(facets.map(({ column }) => column)).toEqual(
      expect.arrayContaining(['mark', 'source', 'length', 'promptlength', 'level', 'topic', 'isEasy']),
    );
    for (const facet of facets) {
      if (facet.kind === 'values')
        for (const { value, rows } of facet.values)
          if (!value.includes('[')) {
            const same = given.filter((_each, at) =>
              found(db, `"${facet.column}"="${value}"`).includes(at),
            ).length;
            expect(same).toBeGreaterThanOrEqual(rows);
          }
      if (facet.kind === 'numbers')
        for (const [bin, rows] of facet.bins.entries()) {
          const from = facet.from + bin * facet.width;
          expect(found(db, `${facet.column}>=${from} ${facet.column}<${from + facet.width}`)).toHaveLength(
            rows,
          );
        }
    }
  });
});

describe('queries of many rows', () => {
  // more than one part of 8,192 rows, with numbers in one and words in the other
  const many = Array.from({ length: 9000 }, (_none, at) =>
    row(`prompt ${at}`, at % 3 === 0 ? 'alpha beta' : 'beta alpha gamma', {
      correct: at % 2 === 0 ? 1 : 0,
      extra: { id: `id-${at}`, mixed: at < 8500 ? at % 5 : 'many', ...(at === 8999 && { rare: 1 }) },
    }),
  );
  let db: Db;
  beforeAll(() => {
    const workspace = opened(many, true);
    ({ db } = workspace);
    return workspace.close;
  });

  it('return a page before all rows are counted, and the count with the facets', () => {
    const page = pageOf(db, '"alpha beta"');
    expect([page.total, page.more, page.rows.length]).toEqual([null, true, 500]);
    expect(page.rows[1].row).toBe(3);
    expect(atOnce(queries(db).facets({ id: 'd', query: '"alpha beta"' })).total).toBe(3000);
    expect(pageOf(db, '"alpha beta"').total).toBe(3000);
  });

  it('find values of columns with too many of them, and of columns of mixed kinds', () => {
    expect(found(db, 'id=id-8999')).toEqual([8999]);
    expect(found(db, 'id:899 right')).toEqual([8990, 8992, 8994, 8996, 8998]);
    expect(found(db, 'id=d-8999')).toEqual([]);
    expect(found(db, 'id:"-899" id:9')).toEqual([
      899,
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => 8990 + at),
    ]);
    expect(found(db, 'has:rare')).toEqual([8999]);
    const sort = { column: 'id', descending: true };
    expect(
      pageOf(db, 'id:id-88', sort)
        .rows.slice(0, 2)
        .map((each) => each.row),
    ).toEqual([8899, 8898]);
    expect(atOnce(queries(db).facets({ id: 'd', query: 'mixed=many' })).total).toBe(500);
    expect(atOnce(queries(db).facets({ id: 'd', query: 'mixed>=3' })).total).toBe(3400);
  });

  it('give the pages of a sorted query without gaps', () => {
    const sort = { column: 'mixed', descending: false };
    const rows = [0, 400, 800].flatMap((offset) =>
      atOnce(queries(db).page({ id: 'd', query: 'beta right', sort, offset, limit: 400 })).rows.map(
        (each) => each.row,
      ),
    );
    expect(new Set(rows).size).toBe(1200);
    expect(rows.every((at) => at % 10 === 0 || at % 10 === 6)).toBe(true);
  });
});

describe('columns of a file with the names of built-in ones', () => {
  const extras = { length: 4, Tag: 'blue', row: 'a', has: 2, note: 'n', 'extra.x': 'y' };
  const own = [
    row('a', 'short', { extra: { split: 'train', ...extras } }),
    row('b', 'short', { extra: { split: 'test', length: 9, 'extra.x': 'z' } }),
    row('c', 'short', { extra: { split: 'train_sft' } }),
    row('d', 'short'),
  ];
  let db: Db;
  beforeAll(() => {
    const workspace = opened(own, true);
    ({ db } = workspace);
    return workspace.close;
  });

  it.each<[string, readonly number[]]>([
    ['split:train', [0]],
    ['split=TEST', [1]],
    ['extra.split:train', [0, 2]],
    ['has:split', [0, 1, 2]],
    ['extra.length>5', [1]],
    ['length=5', [0, 1, 2, 3]],
    ['has:extra.length', [0, 1]],
    ['extra.tag=blue', [0]],
    ['tag:blue', []],
    ['extra.row=a', [0]],
    ['row=2', [2]],
    ['extra.extra.x=z', [1]],
  ])('%s', (query, rows) => expect(found(db, query)).toEqual(rows));

  it('are sorted by, and counted under a name of their own', () => {
    const sorted = (column: string) =>
      pageOf(db, '', { column, descending: true }).rows.map((each) => each.row);
    expect(sorted('split')).toEqual([2, 0, 1, 3]);
    expect(sorted('extra.length')).toEqual([1, 0, 2, 3]);
    const { facets } = atOnce(queries(db).facets({ id: 'd', query: '' }));
    const names = facets.map(({ column }) => column);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['length', 'split', ...Object.keys(extras).map((name) => `extra.${name}`)]),
    );
    expect(columnsFor(facets, []).map(({ id }) => id)).toContain('extra.length');
    const [first] = pageOf(db, 'row=0').rows;
    const texts = columnsFor(facets, []).map(({ id, text }) => [id, text(first)]);
    expect(texts).toEqual(
      expect.arrayContaining([
        ['length', '5'],
        ['split', 'train'],
        ['extra.length', '4'],
        ['extra.Tag', 'blue'],
        ['extra.extra.x', 'y'],
      ]),
    );
  });
});

describe('the order of numbers', () => {
  it('is that of a comparison, stable, with missing values last', () => {
    const numbers = fc.array(
      fc.oneof(fc.double({ noDefaultInfinity: true }), fc.constantFrom(0, -0, 1, -1, Number.NaN, 1e300)),
    );
    fc.assert(
      fc.property(numbers, fc.boolean(), (values, descending) => {
        const expected = [...values.keys()].sort((a, b) => {
          const [x, y] = [values[a], values[b]];
          if (Number.isNaN(x) || Number.isNaN(y))
            return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
          return (descending ? y - x : x - y) || a - b;
        });
        expect([...orderOf(Float64Array.from(values), descending)]).toEqual(expected);
      }),
      { seed: 7 },
    );
  });
});

describe('the bins of a histogram', () => {
  it('are at most 21, of a round width', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e9, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        (low, span) => {
          const width = binWidth(low, low + span);
          expect(span / width).toBeLessThanOrEqual(20.000001);
        },
      ),
      { seed: 7 },
    );
  });
});

describe('any text', () => {
  it('is parsed or refused as invalid input', () => {
    const parts = fc.constantFrom(
      'a',
      '"',
      '(',
      ')',
      '-',
      'OR',
      ':',
      '=',
      '>',
      '1',
      '..',
      ' ',
      'is:',
      '\\',
      'é',
      '的',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        try {
          parseQuery(text);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'invalid-input', where: expect.any(String) as string });
        }
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
