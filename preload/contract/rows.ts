import * as z from 'zod';
import { DatasetRow } from './datasets.ts';
import { call } from './define.ts';
import { RowMap } from './map.ts';

const id = z.string().min(1);
const query = z.string().max(4000).default('');

/** Order of rows; without one, that of the file. */
export const RowSort = z.strictObject({ column: z.string().min(1).max(500), descending: z.boolean() });
export type RowSort = z.infer<typeof RowSort>;

/** A row with its marks. */
export const QueryRow = DatasetRow.extend({
  excluded: z.boolean(),
  tags: z.array(z.string()),
  flags: z.array(z.string()),
  splits: z.array(z.string()),
  /** Findings of the newest examination that concern it. */
  findings: z.array(z.string()).optional(),
  note: z.string().nullable(),
});
export type QueryRow = z.infer<typeof QueryRow>;

const Counted = z.strictObject({ value: z.string(), rows: z.number() });
/** Counts of the matching rows by the cells of a column; `empty` of them have none. */
export const Facet = z.discriminatedUnion('kind', [
  z.strictObject({
    column: z.string(),
    kind: z.literal('values'),
    empty: z.number(),
    /** The most frequent ones first. */
    values: z.array(Counted),
    /** The values left out, and their rows. */
    others: z.strictObject({ values: z.number(), rows: z.number() }),
  }),
  z.strictObject({
    column: z.string(),
    kind: z.literal('numbers'),
    empty: z.number(),
    low: z.number().nullable(),
    high: z.number().nullable(),
    /** Bin i counts the numbers from `from` + i · `width` up to the next edge. */
    from: z.number(),
    width: z.number(),
    bins: z.array(z.number()),
  }),
  /** A column of texts with too many different values to count. */
  z.strictObject({ column: z.string(), kind: z.literal('text'), empty: z.number() }),
]);
export type Facet = z.infer<typeof Facet>;

export const rows = {
  /**
   * Rows that match a query (see the screen's help for its language), fewer than requested if texts are long.
   * Excluded rows are left out unless the query names them. `total` is null while only `facets` has counted
   * them; there are more rows if `more` is set. Throws `invalid-input` with the faulty term in `where`.
   */
  page: call(
    z.strictObject({
      id,
      query,
      sort: RowSort.nullable().default(null),
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
    }),
    z.strictObject({ total: z.number().nullable(), more: z.boolean(), rows: z.array(QueryRow) }),
  ),
  /** The number of rows that match a query, and how they are distributed over the columns. */
  facets: call(
    z.strictObject({ id, query }),
    z.strictObject({ total: z.number(), facets: z.array(Facet).readonly() }),
  ),
  /**
   * Places of the rows on a map (see `columns`), the newest by default, coloured by a column as a query names it.
   * Excluded rows are left out unless the query names them.
   */
  map: call(
    z.strictObject({
      id,
      query,
      name: z.string().max(100).nullable().default(null),
      colour: z.string().min(1).max(500).nullable().default(null),
    }),
    RowMap,
  ),
};
