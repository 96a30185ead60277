import { searchWords } from '../../preload/wire/row-search.ts';
import { staged, type Db } from './database.ts';
import type { Sliced } from './slices.ts';

const shown = {
  all: '',
  correct: 'and correct = 1',
  wrong: 'and correct = 0',
  unmarked: 'and correct is null',
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
type Texts = { row: number; prompt: string; answer: string };

/** Number of rows read in one slice, and added to the index in one transaction. */
const some = { read: 2000, indexed: 50 };

/**
 * Rows of a dataset that have all words of `search`, in file order: found by the full-text index if it has
 * one of the words and all rows, else by reading all rows. Words with signs are compared with the texts that
 * the index finds.
 */
export function* matchingRows(db: Db, search: RowSearch): Sliced<Matches> {
  const words = searchWords(search.search);
  const match = words
    .flatMap(({ prefixes }) => prefixes)
    .map((prefix) => `"${prefix}"*`)
    .join(' AND ');
  const isFound = match !== '' && indexedOf(db, search.id) > lastRow(db, search.id);
  const compared = isFound ? words.filter(({ exact }) => !exact) : words;
  const isMatch = ({ prompt, answer }: Texts): boolean =>
    compared.every(({ pattern }) => prompt.search(pattern) >= 0 || answer.search(pattern) >= 0);
  if (!isFound) return yield* readAll(db, search, words.length > 0 ? isMatch : null);
  return compared.length > 0 ? yield* compareFound(db, search, match, isMatch) : count(db, search, match);
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

/** Rows that match in the index, of the dataset `id`, with `row` as their only column. */
const found =
  'select row_search.rowid & 0xffffffff row from row_search, dataset_numbers n where row_search match :match ' +
  'and n.dataset_id = :id and row_search.rowid between n.number << 32 and (n.number << 32) + 0xffffffff';
/** The same rows with their texts and marks. */
const foundTexts = `(${found}) s cross join dataset_rows r on r.dataset_id = :id and r.row = s.row`;

/** The words are beginnings of words: the index alone has the answer. */
function count(db: Db, { id, show, offset, limit }: RowSearch, match: string): Matches {
  const rows = show === 'all' ? found : `select r.row from ${foundTexts} where true ${shown[show]}`;
  const input = { id, match };
  return {
    total: db.prepare<[typeof input], number>(`select count(*) from (${rows})`).pluck().get(input) ?? 0,
    page: db
      .prepare<[typeof input & { limit: number; offset: number }], number>(
        `${rows} order by 1 limit :limit offset :offset`,
      )
      .pluck()
      .all({ ...input, limit, offset }),
  };
}

function* compareFound(
  db: Db,
  { id, show, offset, limit }: RowSearch,
  match: string,
  isMatch: (texts: Texts) => boolean,
): Sliced<Matches> {
  const candidates = db.prepare<[{ id: string; match: string }], Texts>(
    `select r.row, r.prompt, r.answer from ${foundTexts} where true ${shown[show]}`,
  );
  const rows: number[] = [];
  let candidate = 0;
  for (const each of candidates.iterate({ id, match })) {
    if (isMatch(each)) rows.push(each.row);
    if (++candidate % some.read === 0) yield;
  }
  return { total: rows.length, page: rows.slice(offset, offset + limit) };
}

/** Reads all rows; null: without a search, every row matches. */
function* readAll(
  db: Db,
  { id, show, offset, limit }: RowSearch,
  isMatch: ((texts: Texts) => boolean) | null,
): Sliced<Matches> {
  const last = lastRow(db, id);
  const span = db.prepare<[string, number, number], Texts>(
    `select row${isMatch ? ', prompt, answer' : ''} from dataset_rows ` +
      `where dataset_id = ? and row > ? and row <= ? ${shown[show]} order by row`,
  );
  const rows: number[] = [];
  for (let from = -1; from < last; from += some.read) {
    const all = span.all(id, from, from + some.read);
    for (const { row } of isMatch ? all.filter(isMatch) : all) rows.push(row);
    yield;
  }
  return { total: rows.length, page: rows.slice(offset, offset + limit) };
}
