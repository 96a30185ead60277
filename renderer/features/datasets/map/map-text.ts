import type { MapColour, RowMap } from '../../../../preload/contract/map.ts';
import type { Facet } from '../../../../preload/contract/rows.ts';
import { rangeTerm, withRange } from '../../../../preload/wire/query-edit.ts';
import { readNumber } from '../../../../engine/common/number-text.ts';
import type { Area, PointStyle } from '../../../charts/point-cloud.ts';
import { shapes } from '../../../charts/point-cloud.ts';
import { count, plural } from '../../../lib/format.ts';
import { HUES } from '../../../lib/run-colors.svelte.ts';

/** Bounds of a region as they are typed; an empty one leaves its side open. */
export interface Bounds {
  readonly x: readonly [string, string];
  readonly y: readonly [string, string];
}
export const noBounds: Bounds = { x: ['', ''], y: ['', ''] };

/** Digits of a bound that a drag chooses. */
const DIGITS = 4;
const rounded = (value: number): string => String(Number(value.toPrecision(DIGITS)));
export const boundsOf = ({ x, y }: Area): Bounds => ({
  x: [rounded(x[0]), rounded(x[1])],
  y: [rounded(y[0]), rounded(y[1])],
});

const isBound = (text: string): boolean => text.trim() === '' || readNumber(text, {}).ok;
/** The error of typed bounds; null if they are a region, or all empty. */
export function faultOf({ x, y }: Bounds): string | null {
  const all = [...x, ...y];
  const wrong = all.find((text) => !isBound(text));
  if (wrong !== undefined) return `“${wrong}” is not a number.`;
  const isReversed = [x, y].some(([low, high]) => low.trim() && high.trim() && Number(low) > Number(high));
  return isReversed ? 'A region begins with its smaller number.' : null;
}
export const isEmpty = ({ x, y }: Bounds): boolean => [...x, ...y].every((text) => text.trim() === '');

/** The region on a map with these limits; null without bounds, or with wrong ones. */
export function areaOf(bounds: Bounds, { x, y }: Area): Area | null {
  if (isEmpty(bounds) || faultOf(bounds) !== null) return null;
  const side = ([low, high]: readonly [string, string], all: readonly [number, number]) =>
    [low.trim() ? Number(low) : all[0], high.trim() ? Number(high) : all[1]] as const;
  return { x: side(bounds.x, x), y: side(bounds.y, y) };
}

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

/** Steps of a scale of numbers. */
export const STEPS = 12;
/** Index of the style of rows with a value that has no colour of its own, or none. */
export const OTHER = HUES;

/** The index of each drawn row's style; see `stylesOf`. */
export function styleIndexes(map: RowMap): Uint8Array {
  const { colour, points } = map;
  if (!colour) return new Uint8Array(points.row.length);
  if (colour.kind === 'values')
    return Uint8Array.from(points.value, (value) => (value >= 0 && value < HUES ? value : OTHER));
  const { low, high } = colour;
  return Uint8Array.from(points.value, (value) =>
    Number.isNaN(value)
      ? STEPS
      : Math.min(STEPS - 1, Math.floor((STEPS * (value - low)) / (high - low || 1))),
  );
}

/** Styles by index: seven colours with seven shapes and a faint one, or a scale of one hue and a faint one. */
export function stylesOf(colour: MapColour | null, color: (name: string) => string): PointStyle[] {
  const other = { color: color('--line-strong'), shape: 'circle' } as const;
  if (colour?.kind === 'numbers') {
    const scale = Array.from({ length: STEPS }, (_none, step) => 35 + (65 * step) / (STEPS - 1));
    return [
      ...scale.map((share) => ({
        color: `color-mix(in oklab, ${color('--run-1')} ${share}%, ${color('--surface')})`,
        shape: 'circle' as const,
      })),
      { ...other, shape: 'cross' },
    ];
  }
  return [...shapes.map((shape, at) => ({ color: color(`--run-${at}`), shape })), other];
}

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
