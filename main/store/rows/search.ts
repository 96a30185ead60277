import type { RowSort } from '../../../preload/contract/rows.ts';
import { parseQuery, type QueryNode } from '../../../preload/wire/query.ts';
import type { Sliced } from '../slices.ts';
import { Bits } from './bits.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { orderBy } from './order.ts';
import type { Queried } from './queried.ts';
import type { RowTable } from './table.ts';

/** Matching rows from an offset on. */
export interface RowPage {
  readonly rows: readonly number[];
  /** Null if not all rows were looked at. */
  readonly total: number | null;
  /** True if further rows match. */
  readonly more: boolean;
}

/** Rows looked at for a page before all matching rows are found first. */
const quickRows = 6000;
const batchRows = 200;

/** True if a query says which rows of the excluded ones it wants. */
const namesExcluded = (node: QueryNode): boolean =>
  node.kind === 'all' || node.kind === 'any'
    ? node.of.some(namesExcluded)
    : node.kind === 'not'
      ? namesExcluded(node.of)
      : node.kind === 'is' && (node.state === 'excluded' || node.state === 'included');

const included: QueryNode = { kind: 'is', state: 'included', term: 'is:included' };

/** The query of a person: excluded rows match only if it names them. */
export const queryOf = (text: string): QueryNode => withIncluded(parseQuery(text));

/** The query without excluded rows, unless it names them. */
export const withIncluded = (node: QueryNode): QueryNode =>
  namesExcluded(node) ? node : { kind: 'all', of: [included, node] };

/** All rows that match, kept until the table changes. */
export function* matchingRows(table: Queried, node: QueryNode, key: string): Sliced<Bits> {
  const known = knownRows(table, key);
  if (known) return known;
  const matching = yield* (yield* evaluate(table, node, false)).all();
  forgetOld(table);
  table.cache.set(`rows/${key}`, matching);
  return matching;
}

export const knownRows = (table: Queried, key: string): Bits | null => {
  const known = table.cache.get(`rows/${key}`);
  return known instanceof Bits ? known : null;
};

/** Keeps the memory of old results small: one takes a bit a row. */
function forgetOld({ cache }: Queried): void {
  const old = [...cache].flatMap(([key, value]) => (value instanceof Bits ? [key] : []));
  for (const key of old.slice(0, -30)) cache.delete(key);
}

/** A page of the matching rows: if it can be had by looking at a few, without counting all. */
export function* pageOf(
  table: RowTable,
  node: QueryNode,
  { key, sort, offset, limit }: { key: string; sort: RowSort | null; offset: number; limit: number },
): Sliced<RowPage> {
  const order = sort ? yield* orderBy(table, sort) : null;
  const known = knownRows(table, key);
  if (!known) {
    const evaluation = yield* evaluate(table, node, true);
    const { yes, maybe } = evaluation.found;
    const isDecided = yes.words.every((word, i) => word === maybe.words[i]);
    if (isDecided) table.cache.set(`rows/${key}`, yes);
    else {
      const page = yield* quickPage(evaluation, order, offset, limit);
      if (page) return page;
    }
  }
  const matching = yield* matchingRows(table, node, key);
  const rows = order ? walk(order, matching, offset, limit) : matching.page(offset, limit);
  const total = matching.count;
  return { rows, total, more: offset + rows.length < total };
}

export function walk(order: Uint32Array, matching: Bits, offset: number, limit: number): number[] {
  const rows: number[] = [];
  let at = 0;
  for (let i = 0; i < order.length && rows.length < limit; i += 1) {
    if (!matching.has(order[i])) continue;
    if (at >= offset) rows.push(order[i]);
    at += 1;
  }
  return rows;
}

/** Reads the texts of the first rows that may match; null if too few of them do. */
export function* quickPage(
  evaluation: Evaluation,
  order: Iterable<number> | null,
  offset: number,
  limit: number,
): Sliced<RowPage | null> {
  const { maybe } = evaluation.found;
  const rows: number[] = [];
  let batch: number[] = [];
  let seen = 0;
  for (const row of order ?? maybe) {
    if (!maybe.has(row)) continue;
    batch.push(row);
    if (batch.length < batchRows) continue;
    rows.push(...evaluation.decide(batch));
    seen += batch.length;
    batch = [];
    if (rows.length > offset + limit)
      return { rows: rows.slice(offset, offset + limit), total: null, more: true };
    if (seen >= quickRows) return null;
    yield;
  }
  rows.push(...evaluation.decide(batch));
  return {
    rows: rows.slice(offset, offset + limit),
    total: rows.length,
    more: rows.length > offset + limit,
  };
}
