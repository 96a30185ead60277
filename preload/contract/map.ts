import * as z from 'zod';
import { float64s } from './define.ts';

/** Most points of a map that are drawn. */
export const mostPoints = 20_000;

const range = z.tuple([z.number(), z.number()]).readonly();

/** Rows with one value of the column that colours a map; `x`, `y`: the mean of their places. */
export const MapGroup = z.strictObject({
  value: z.string(),
  rows: z.number(),
  matching: z.number(),
  x: z.number(),
  y: z.number(),
});
export type MapGroup = z.infer<typeof MapGroup>;

const counted = z.strictObject({ rows: z.number(), matching: z.number() });

export const MapColour = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('values'),
    column: z.string(),
    /** The most frequent ones first. */
    groups: z.array(MapGroup).readonly(),
    /** Rows with the values left out, and rows without one. */
    others: counted.extend({ values: z.number() }),
    empty: counted,
  }),
  z.strictObject({
    kind: z.literal('numbers'),
    column: z.string(),
    low: z.number(),
    high: z.number(),
    empty: counted,
  }),
]);
export type MapColour = z.infer<typeof MapColour>;

/** Rows of a dataset in a plane, some of them drawn. */
export const RowMap = z.strictObject({
  /** The maps that hold, the newest last. */
  names: z.array(z.string()).readonly(),
  /** The one shown; null without any. */
  name: z.string().nullable(),
  /** Rows with a place, those of them that match the query, and rows without a place. */
  rows: z.number(),
  matching: z.number(),
  unplaced: z.number(),
  /** Range of the coordinates of all rows with a place. */
  x: range.nullable(),
  y: range.nullable(),
  /**
   * Drawn rows: up to half of them match, unless few others are left. `value`: the number, or the index of the
   * group, −1 for the values left out; NaN without one. `matches`: 1 or 0.
   */
  points: z.strictObject({
    row: float64s,
    x: float64s,
    y: float64s,
    value: float64s,
    matches: float64s,
  }),
  colour: MapColour.nullable(),
});
export type RowMap = z.infer<typeof RowMap>;
