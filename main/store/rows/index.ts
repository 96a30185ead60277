import type { RowMap } from '../../../preload/contract/map.ts';
import type { Facet, QueryRow, RowSort } from '../../../preload/contract/rows.ts';
import { found, fitting, type StoreContext } from '../context.ts';
import type { Db } from '../database.ts';
import { rowColumns, storedLength, type StoredRow } from '../dataset-row.ts';
import { isDescription } from './findings.ts';
import type { Sliced } from '../slices.ts';
import { facetsOf } from './facets.ts';
import { mapOf, type MapInput } from './map.ts';
import { matchingRows, pageOf, queryOf } from './search.ts';
import { tableOf, type RowTable } from './table.ts';

export interface PageInput {
  readonly id: string;
  readonly query: string;
  readonly sort: RowSort | null;
  readonly offset: number;
  readonly limit: number;
}
type Page = { total: number | null; more: boolean; rows: QueryRow[] };

/** The columns of a dataset. Throws `not-found`. */
export function* openTable(db: Db, id: string): Sliced<RowTable> {
  const visible = db.prepare('select 1 from datasets where id = ? and visible = 1').get(id);
  const table = visible === undefined ? null : yield* tableOf(db, id);
  return found(table ?? undefined, 'dataset', id);
}

/** Queries of the rows of a dataset. */
export const rowQueries = ({ db }: StoreContext) => ({
  *page({ id, query, ...place }: PageInput): Sliced<Page> {
    const node = queryOf(query);
    const table = yield* openTable(db, id);
    const { rows, total, more } = yield* pageOf(table, node, { key: query, ...place });
    const read = readRows(table, rows);
    return { total, more: more || read.length < rows.length, rows: read };
  },

  *facets({ id, query }: { id: string; query: string }): Sliced<{ total: number; facets: Facet[] }> {
    const node = queryOf(query);
    const table = yield* openTable(db, id);
    const rows = yield* matchingRows(table, node, query);
    return { total: rows.count, facets: yield* facetsOf(table, rows) };
  },

  *map(input: MapInput): Sliced<RowMap> {
    const node = queryOf(input.query);
    const table = yield* openTable(db, input.id);
    const matching = yield* matchingRows(table, node, input.query);
    const included = yield* matchingRows(table, queryOf(''), '');
    return yield* mapOf(table, { included, matching }, input);
  },
});

/** These rows with their marks, in this order; fewer if texts are long. */
export function readRows(table: RowTable, rows: readonly number[]): QueryRow[] {
  const { db, id, number, computed } = table;
  const one = db.prepare<[string, number], StoredRow>(
    `select ${rowColumns} from dataset_rows where dataset_id = ? and row = ?`,
  );
  const note = db
    .prepare<[number, number], string>('select note from row_notes where number = ? and row = ?')
    .pluck();
  const stored = Iterator.from(rows)
    .map((row) => one.get(id, row))
    .filter((row) => row !== undefined);
  return fitting(stored, storedLength).map((row) => ({
    ...computed.row(row),
    ...marksOfRow(table, row.row),
    note: note.get(number, row.row) ?? null,
  }));
}

function marksOfRow(
  { marks }: RowTable,
  row: number,
): Pick<QueryRow, 'excluded' | 'tags' | 'flags' | 'splits' | 'findings'> {
  const names = [...marks].filter(([, bits]) => bits.has(row)).map(([name]) => name);
  const of = (kind: string): string[] =>
    names.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  const findings = of('finding:').filter((name) => !isDescription(name));
  return {
    excluded: names.includes('excluded'),
    tags: of('tag:'),
    flags: of('flag:'),
    splits: of('split:'),
    findings,
  };
}
