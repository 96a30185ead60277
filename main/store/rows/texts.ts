import type { SearchWord } from '../../../preload/wire/row-search.ts';
import { fromJson } from '../json.ts';
import type { Db } from '../database.ts';
import { Bits } from './bits.ts';
import type { ComputedReader } from './computed-reader.ts';
import type { Found, RowTexts } from './queried.ts';

/** The dataset whose texts are looked up. */
interface TextTable {
  readonly db: Db;
  readonly id: string;
  readonly number: number;
  readonly size: number;
  readonly present: Bits;
  readonly computed: ComputedReader;
  readonly cache: Map<string, unknown>;
}

/** The texts of these rows. */
export const textsOf = ({ db, id, computed }: TextTable, rows: readonly number[]): RowTexts[] =>
  db
    .prepare<[string, string], RowTexts>(
      'select row, prompt, answer, reference, extra from dataset_rows where dataset_id = ? and row in ' +
        '(select value from json_each(?))',
    )
    .all(id, JSON.stringify(rows))
    .map((texts) => ({ ...texts, extra: computed.extra(texts.row, texts.extra) }));

/** An extra value of a row; undefined without it. */
export const extraValue = ({ extra }: RowTexts, name: string): unknown => {
  if (extra === null) return undefined;
  const all = fromJson<Record<string, unknown>>(extra);
  return Object.hasOwn(all, name) ? all[name] : undefined;
};

export const hasWord = ({ pattern }: SearchWord, { prompt, answer }: RowTexts): boolean =>
  prompt.search(pattern) >= 0 || answer.search(pattern) >= 0;

/** Most matches of a word that a first page waits for; pages of a more frequent word read rows. */
const quickMatches = 10_000;

/** Number of rows in the full-text index, from the first. */
const indexedOf = ({ db, number }: TextTable): number =>
  db.prepare<[number], number>('select indexed from dataset_numbers where number = ?').pluck().get(number) ??
  0;

/**
 * The rows that have a word, by the full-text index; those outside it may have it. `quick`: a frequent word
 * is not looked up to its last row, so that every row may have it.
 */
export function foundWord(table: TextTable, word: SearchWord, quick: boolean): Found {
  const none = new Bits(table.size);
  if (word.prefixes.length === 0) return { yes: none, maybe: table.present };
  const indexed = Math.min(indexedOf(table), table.size);
  const match = word.prefixes.map((prefix) => `"${prefix}"*`).join(' AND ');
  const known = table.cache.get(`${match}/${indexed}`);
  const found = known instanceof Bits ? known : matches(table, match, indexed, quick);
  if (!found) return { yes: none, maybe: table.present };
  table.cache.set(`${match}/${indexed}`, found);
  const rest = indexed >= table.size ? none : outside(table, indexed);
  return { yes: word.exact ? found : none, maybe: found.or(rest).and(table.present) };
}

function matches(
  { db, number, size }: TextTable,
  match: string,
  indexed: number,
  quick: boolean,
): Bits | null {
  const first = number * 2 ** 32;
  const rowids = db
    .prepare<[string, number, number, number], number>(
      'select rowid & 0xffffffff from row_search where row_search match ? and rowid >= ? and rowid < ? limit ?',
    )
    .pluck()
    .all(match, first, first + Math.max(indexed, 0), quick ? quickMatches + 1 : -1);
  return quick && rowids.length > quickMatches ? null : Bits.of(size, rowids);
}

function outside({ size, present }: TextTable, from: number): Bits {
  const bits = new Bits(size);
  for (let row = from; row < size; row += 1) if (present.has(row)) bits.add(row);
  return bits;
}
