import type { QueryNode } from '../../preload/wire/query.ts';
import { searchWords } from '../../preload/wire/row-search.ts';
import { staged, type Db } from './database.ts';
import { matchingRows as queriedRows } from './rows/search.ts';
import { tableOf } from './rows/table.ts';
import type { Sliced } from './slices.ts';

const shown = {
  all: null,
  correct: 'right',
  wrong: 'wrong',
  unmarked: 'unmarked',
} as const;

export interface RowSearch {
  readonly id: string;
  readonly search: string;
  readonly show: keyof typeof shown;
  readonly offset: number;
  readonly limit: number;
}
interface Matches {
  readonly total: number;
  /** The matching rows from `offset` on, at most `limit`. */
  readonly page: readonly number[];
}

/** Number of rows added to the index in one transaction. */
const some = { indexed: 50 };

/** Rows of a dataset that have all words of `search`, in file order. */
export function* matchingRows(db: Db, { id, search, show, offset, limit }: RowSearch): Sliced<Matches> {
  const table = yield* tableOf(db, id);
  if (!table) return { total: 0, page: [] };
  const words = searchWords(search).map((word): QueryNode => ({ kind: 'text', word, term: search }));
  const mark = shown[show];
  const of = mark ? [...words, { kind: 'mark', mark, term: mark } as const] : words;
  const rows = yield* queriedRows(table, { kind: 'all', of }, `${show} of words ${search}`);
  return { total: rows.count, page: rows.page(offset, limit) };
}

const lastRow = (db: Db, id: string): number =>
  db
    .prepare<[string], number | null>('select max(row) from dataset_rows where dataset_id = ?')
    .pluck()
    .get(id) ?? -1;

/** Rows below this one are in the index. */
const indexedOf = (db: Db, id: string): number =>
  db.prepare<[string], number>('select indexed from dataset_numbers where dataset_id = ?').pluck().get(id) ??
  0;

/** Adds the rows of imported datasets to the index; concurrent calls share the work. */
export function* indexRows(db: Db): Sliced<void> {
  const datasets = db
    .prepare<[], { id: string; number: number }>(
      'select id, number from datasets join dataset_numbers on dataset_id = id where visible = 1',
    )
    .all();
  const add = db.prepare<[{ id: string; number: number }]>(`
    insert into row_search (rowid, prompt, answer)
    select (:number << 32) + r.row, r.prompt, r.answer from dataset_numbers n
    join dataset_rows r on r.dataset_id = n.dataset_id and r.row >= n.indexed and r.row < n.indexed + ${some.indexed}
    where n.dataset_id = :id order by r.row`);
  const advance = db
    .prepare<[string], number>(
      `update dataset_numbers set indexed = indexed + ${some.indexed} where dataset_id = ? returning indexed`,
    )
    .pluck();
  for (const { id, number } of datasets) {
    const last = lastRow(db, id);
    const addSome = (): number => {
      add.run({ id, number });
      return advance.get(id) ?? Infinity;
    };
    for (let indexed = indexedOf(db, id); indexed <= last; yield) indexed = staged(db, addSome);
  }
}
