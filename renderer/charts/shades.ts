/** Colours of numbers: one hue from low to high, and the hues of a circle for directions. */

/** Steps of a scale of one hue. */
export const SHADES = 16;

/** The shade of a share from 0 to 1, as CSS of the theme. */
export const shadeOf = (share: number): string =>
  `color-mix(in oklab, var(--shade-high) ${Math.round(100 * share)}%, var(--shade-low))`;

/** The hue of a direction in degrees, dark enough on light ground and light enough on dark. */
export const hueOf = (degrees: number): string => {
  const hue = Math.round(degrees);
  return `light-dark(oklch(0.52 0.17 ${hue}), oklch(0.76 0.14 ${hue}))`;
};

/** Place of a value between the least and the greatest, 0 to 1, by their logarithms if `log`. */
export const shareOf = (value: number, low: number, high: number, log = false): number => {
  const [at, from, to] = log ? [value, low, high].map(Math.log) : [value, low, high];
  return to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 1;
};

/** Cells of a map as drawings of one colour each, in units of cells. */
export interface CellLayers {
  readonly walls: string;
  readonly unvisited: string;
  /** From low to high. */
  readonly shaded: readonly string[];
  readonly low: number;
  readonly high: number;
}

/** `cells`: numbers of the open ones, row · columns + column; `values`: one each, of which 0 is not shaded. */
export function cellLayers(
  {
    columns,
    rows,
    cells,
  }: { readonly columns: number; readonly rows: number; readonly cells: readonly number[] },
  values: readonly number[],
  log: boolean,
): CellLayers {
  const square = (cell: number) => `M${cell % columns},${Math.floor(cell / columns)}h1v1h-1z`;
  const open = new Set(cells);
  const some = values.filter((value) => value > 0);
  const [low, high] = some.length ? [Math.min(...some), Math.max(...some)] : [0, 0];
  const shaded = new Array<string>(SHADES).fill('');
  let unvisited = '';
  cells.forEach((cell, at) => {
    if (!(values[at] > 0)) unvisited += square(cell);
    else shaded[Math.round(shareOf(values[at], low, high, log) * (SHADES - 1))] += square(cell);
  });
  const walls = Array.from({ length: columns * rows }, (_none, cell) => (open.has(cell) ? '' : square(cell)));
  return { walls: walls.join(''), unvisited, shaded, low, high };
}

/** A path over cells by its places in them; `nth` moves it within cells, so that paths lie side by side. */
export function cellPath(
  { columns, cells }: { readonly columns: number; readonly cells: readonly number[] },
  path: readonly number[],
  nth: number,
): readonly (readonly [number, number])[] {
  const aside = (turn: number) => 0.5 + 0.56 * (((nth * turn) % 1) - 0.5);
  // golden sections of one and two dimensions spread any number of paths
  const [x, y] = [aside(0.7548776662), aside(0.569840291)];
  return path
    .filter((place, at) => at === 0 || place !== path[at - 1])
    .map((place) => [(cells[place] % columns) + x, Math.floor(cells[place] / columns) + y] as const);
}
