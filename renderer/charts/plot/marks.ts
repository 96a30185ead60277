/** A plot apart from the library that draws it: marks, axes, and the colours of a theme. */

/** Colours by the name of their token, as `rgb(…)`. */
export type Colors = (variable: string) => string;

interface Named {
  readonly name: string;
  /** Token of its colour, such as `--run-0`. */
  readonly variable: string;
  /** Identifies what each point is of: clicks and selections report these. */
  readonly keys?: readonly string[];
  /** Says what each point is, on hover, above its values. */
  readonly texts?: readonly string[];
}
/** Lower and upper bound of each value; null where there are none. */
type Bounds = readonly (readonly [number, number] | null)[];

export interface Points extends Named {
  readonly kind: 'points';
  readonly x: readonly (number | string)[];
  readonly y: readonly (number | string)[];
  readonly xBounds?: Bounds;
  readonly yBounds?: Bounds;
  /** Numbers that colour the points in place of the mark's own colour. */
  readonly shades?: { readonly title: string; readonly values: readonly number[] };
  readonly symbol?: 'circle' | 'diamond' | 'square' | 'cross' | 'x' | 'triangle-up';
}
export interface Line extends Named {
  readonly kind: 'line';
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Lengths of strokes and gaps, in pixels. */
  readonly dash?: readonly number[];
  /** Drawn as stairs: each value holds until the next x. */
  readonly isStair?: boolean;
}
/** A region between two curves, such as the interval of a line; it has no label. */
export interface Band {
  readonly kind: 'band';
  readonly variable: string;
  readonly x: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}
export interface Bars extends Named {
  readonly kind: 'bars';
  readonly x: readonly (number | string)[];
  readonly y: readonly number[];
  readonly yBounds?: Bounds;
}
/** The distribution of values, with its quartiles. */
export interface Violin extends Named {
  readonly kind: 'violin' | 'box';
  readonly values: readonly number[];
}
export interface Heat {
  readonly kind: 'heat';
  readonly name: string;
  readonly x: readonly (number | string)[];
  readonly y: readonly (number | string)[];
  /** By rows: `values[y][x]`. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly keys?: readonly (readonly string[])[];
  readonly texts?: readonly (readonly string[])[];
  /** Centre of a scale of two hues; without it, the scale has one hue. */
  readonly centre?: number;
}
/** Parallel coordinates: one line per item, across all dimensions. */
export interface Parallel {
  readonly kind: 'parallel';
  readonly dimensions: readonly Dimension[];
  /** Numbers that colour the lines. */
  readonly shades: { readonly title: string; readonly values: readonly number[] };
  readonly keys: readonly string[];
}
export interface Dimension {
  readonly title: string;
  /** One number per item; NaN where an item has none. */
  readonly values: readonly number[];
  /** Texts of single values, for dimensions that are no numbers. */
  readonly ticks?: readonly { readonly at: number; readonly text: string }[];
}
export type Mark = Points | Line | Band | Bars | Violin | Heat | Parallel;

export interface PlotAxis {
  readonly title: string;
  readonly log?: boolean;
  /** Its values are names: numbers among them are not put in order. */
  readonly isCategory?: boolean;
  /** Lowest and highest value shown; the data's own without it. */
  readonly range?: readonly [number, number];
}
export interface PlotAxes {
  readonly x: PlotAxis;
  readonly y: PlotAxis;
}
