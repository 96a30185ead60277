import type { SqlColumn } from '../../../preload/contract/sql.ts';
import type { RowTable } from '../rows/table.ts';

/** The columns that every dataset has, and their meaning. */
const builtIn = {
  row: 'number of the row, from 0',
  line: 'line of the file',
  prompt: 'prompt',
  answer: 'answer',
  right: '1 right, 0 wrong, null not marked',
  reference: 'expected answer',
  source: 'source',
  length: 'characters of the answer',
  promptlength: 'characters of the prompt',
  excluded: '1 if the row is excluded',
  edited: '1 if a cell was edited',
  tags: 'tags, as a JSON list',
  flags: 'flags, as a JSON list',
  splits: 'parts of splits, as a JSON list',
  findings: 'findings of the doctor, as a JSON list',
  note: 'note',
} as const;
export type BuiltIn = keyof typeof builtIn;

/** A column of the table `rows`; `key` is the dataset's own name of it. */
export type TableColumn = SqlColumn &
  ({ readonly kind: 'built-in'; readonly key: BuiltIn } | { readonly kind: 'extra'; readonly key: string });

/** Most columns of the table: SQLite has a limit of 2,000. */
const mostColumns = 1900;

/** Words that SQLite reads as part of a statement where a column is meant. */
const keywords = new Set(
  (
    'abort action add after all alter always analyze and as asc attach autoincrement before begin between by ' +
    'cascade case cast check collate column commit conflict constraint create cross current current_date ' +
    'current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop ' +
    'each else end escape except exclude exclusive exists explain fail filter first following for foreign from ' +
    'full generated glob group groups having if ignore immediate in index indexed initially inner insert ' +
    'instead intersect into is isnull join key last left like limit match materialized natural no not nothing ' +
    'notnull null nulls of offset on or order others outer over partition plan pragma preceding primary query ' +
    'raise range recursive references regexp reindex release rename replace restrict returning row rows ' +
    'rollback savepoint select set table temp temporary then ties to transaction trigger unbounded union ' +
    'unique update using vacuum values view virtual when where window with without'
  ).split(' '),
);

/** A name as it is written in a statement: quoted where it must be. */
export const written = (name: string): string =>
  /^[a-z_]\w*$/i.test(name) && (name in builtIn || !keywords.has(name.toLowerCase()))
    ? name
    : `"${name.replaceAll('"', '""')}"`;

/** SQLite takes names that differ in the case of A to Z only as one. */
const folded = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The table's columns: the built-in ones, then those of the file and computed ones. */
export function columnsOf(table: RowTable): TableColumn[] {
  const taken = new Set<string>(Object.keys(builtIn));
  const nameFor = (extra: string): string => {
    const clean = extra.replaceAll('\0', '�');
    const wanted = [clean, `extra.${clean}`];
    for (let copy = 2; ; copy += 1) {
      const free = wanted.find((name) => name !== '' && !taken.has(folded(name)));
      if (free !== undefined) return free;
      wanted.push(`extra.${clean} ${copy}`);
    }
  };
  const computed = new Set(table.computed.columns.map(({ name }) => name));
  const own = Object.entries(builtIn).map(([key, about]): TableColumn => ({
    kind: 'built-in',
    key: key as BuiltIn,
    name: key,
    written: key,
    about,
  }));
  const extras = table.extras.map((key): TableColumn => {
    const name = nameFor(key);
    taken.add(folded(name));
    const about = computed.has(key) ? 'computed' : 'of the file';
    return {
      kind: 'extra',
      key,
      name,
      written: written(name),
      about: name === key ? about : `${about}: ${key}`,
    };
  });
  return [...own, ...extras].slice(0, mostColumns);
}
