import type { RowMap } from '../../../../preload/contract/map.ts';
import type { Facet } from '../../../../preload/contract/rows.ts';
import { rangeTerm, withRange } from '../../../../preload/wire/query-edit.ts';
import type { Bounds } from '../../../charts/cloud/region.ts';
import { indexesOf } from '../../../charts/cloud/styles.ts';
import { count, plural } from '../../../lib/format.ts';

/** The query with a region of a map in place of an earlier one; without bounds, without a region. */
export function withRegion(query: string, map: string, bounds: Bounds): string {
  return (['x', 'y'] as const).reduce((rest, axis) => {
    const [low, high] = bounds[axis].map((text) => text.trim());
    const column = `${map}.${axis}`;
    const name = rangeTerm(column, 0, 0, true).replace(/:[^:]*$/, '');
    return withRange(rest, column, low === '' && high === '' ? null : `${name}:${low}..${high}`);
  }, query);
}

/** A column that a map may be coloured by. */
const isColour = (facet: Facet): boolean => facet.kind !== 'text';

/** Columns to colour by: those with values or numbers, but for coordinates. */
export const coloursOf = (facets: readonly Facet[] | null, names: readonly string[]): readonly string[] =>
  (facets ?? [])
    .filter(isColour)
    .map(({ column }) => column)
    .filter((column) => !names.some((name) => column === `${name}.x` || column === `${name}.y`));

/** The column that says most at first sight: clusters, then right and wrong, then the source. */
export function usualColour(facets: readonly Facet[]): string {
  const isMixed = (facet: Facet): boolean => facet.kind === 'values' && facet.values.length > 1;
  const has = (column: string) => facets.some((facet) => facet.column === column && isMixed(facet));
  if (facets.some(({ column }) => column === 'cluster')) return 'cluster';
  return ['mark', 'source'].find(has) ?? facets.find(isMixed)?.column ?? '';
}

/** The index of each drawn row's style; see `stylesOf`. */
export const styleIndexes = ({ colour, points }: RowMap): Uint8Array =>
  colour ? indexesOf(colour, points.value) : new Uint8Array(points.row.length);

/** The number of points that are drawn, and of what. */
export function drawnText({ rows, matching, points, unplaced }: RowMap): string {
  const drawn = points.row.length;
  const all = drawn < rows ? `${count(drawn)} of ${count(rows)} rows, drawn at random` : plural(rows, 'row');
  const own = points.matches.reduce((sum, each) => sum + each, 0);
  const few = own < matching ? `${count(own)} of the ${count(matching)}` : count(matching);
  const found = matching < rows ? `; ${few} that match in full colour` : '';
  const without = unplaced > 0 ? `; ${plural(unplaced, 'row')} without a place` : '';
  return `${all}${found}${without}`;
}
