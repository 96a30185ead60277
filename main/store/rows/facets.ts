import type { Facet } from '../../../preload/contract/rows.ts';
import { isDescription } from './findings.ts';
import type { Sliced } from '../slices.ts';
import type { Bits } from './bits.ts';
import { extraName } from './part.ts';
import type { Column } from './queried.ts';
import type { RowTable } from './table.ts';

/** Most values of a facet that are returned, and bins of a histogram. */
const most = { values: 40, bins: 20 };

/** Counts of the rows by each column: values of categories, histograms of numbers. */
export function* facetsOf(table: RowTable, rows: Bits): Sliced<Facet[]> {
  const facets: Facet[] = [];
  const add = function* (name: string, column: string): Sliced<void> {
    const cells = yield* table.column(column);
    if (cells) facets.push(facetOf(name, cells, rows));
    yield;
  };
  for (const name of ['mark', 'source']) yield* add(name, name);
  for (const kind of ['tag', 'flag', 'split', 'finding'])
    if (table.isSet(kind)) facets.push(...markFacet(table, kind, rows));
  for (const name of ['length', 'promptlength', 'reference']) yield* add(name, name);
  for (const name of table.extras) yield* add(table.queryName(name), extraName(name));
  return facets;
}

export function facetOf(column: string, cells: Column, rows: Bits): Facet {
  if (cells.kind === 'number') return histogramOf(column, cells.data, rows);
  if (cells.kind === 'category') return valuesOf(column, cells.data, cells.values, rows);
  const { data } = cells;
  let empty = 0;
  rows.forEach((row) => {
    empty += Number(data[row] === 0);
  });
  return { column, kind: 'text', empty };
}

function valuesOf(column: string, data: Uint16Array, values: readonly string[], rows: Bits): Facet {
  const counts = new Uint32Array(values.length + 1);
  rows.forEach((row) => {
    counts[data[row]] += 1;
  });
  const found = values
    .map((value, code) => ({ value, rows: counts[code + 1] }))
    .filter((each) => each.rows > 0)
    .sort((a, b) => b.rows - a.rows);
  const rest = found.slice(most.values);
  return {
    column,
    kind: 'values',
    empty: counts[0],
    values: found.slice(0, most.values),
    others: { values: rest.length, rows: rest.reduce((sum, each) => sum + each.rows, 0) },
  };
}

function markFacet(table: RowTable, kind: string, rows: Bits): Facet[] {
  const found = [...table.marks]
    .filter(([name]) => name.startsWith(`${kind}:`) && !isDescription(name.slice(kind.length + 1)))
    .map(([name, bits]) => ({ value: name.slice(kind.length + 1), bits: bits.and(rows) }))
    .filter(({ bits }) => !bits.isEmpty);
  if (found.length === 0) return [];
  const marked = found.map(({ bits }) => bits).reduce((all, bits) => all.or(bits));
  const values = found
    .map(({ value, bits }) => ({ value, rows: bits.count }))
    .sort((a, b) => b.rows - a.rows);
  const rest = values.slice(most.values);
  return [
    {
      column: kind,
      kind: 'values',
      empty: rows.count - marked.count,
      values: values.slice(0, most.values),
      others: { values: rest.length, rows: rest.reduce((sum, each) => sum + each.rows, 0) },
    },
  ];
}

/** Bins with round edges over the numbers of these rows; each includes its lower edge. */
function histogramOf(column: string, data: Float64Array, rows: Bits): Facet {
  let [low, high, empty] = [Infinity, -Infinity, 0];
  rows.forEach((row) => {
    const value = data[row];
    if (Number.isNaN(value)) empty += 1;
    else if (value < low) low = value;
    if (value > high) high = value;
  });
  if (low > high)
    return { column, kind: 'numbers', empty, low: null, high: null, width: 1, from: 0, bins: [] };
  const width = binWidth(low, high);
  const first = Math.floor(low / width);
  // edges as they are written in a query, so that a bin counts what its query finds
  const edge = (bin: number): number => Number(((first + bin) * width).toPrecision(12));
  const edges = Array.from({ length: Math.floor(high / width) - first + 2 }, (_none, bin) => edge(bin));
  const bins = new Array<number>(edges.length - 1).fill(0);
  rows.forEach((row) => {
    const value = data[row];
    if (Number.isNaN(value)) return;
    const near = Math.min(bins.length - 1, Math.max(0, Math.floor(value / width) - first));
    const bin = value >= edges[near + 1] ? near + 1 : value < edges[near] ? near - 1 : near;
    bins[Math.min(bins.length - 1, Math.max(0, bin))] += 1;
  });
  return { column, kind: 'numbers', empty, low, high, width, from: first * width, bins };
}

/** The smallest of 1, 2 and 5 times a power of ten that covers the numbers by at most `most.bins` bins. */
export function binWidth(low: number, high: number): number {
  const least = (high - low) / most.bins;
  if (least === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const width = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least) ?? 10 * power;
  return Number.isInteger(low) && Number.isInteger(high) ? Math.max(1, width) : width;
}
