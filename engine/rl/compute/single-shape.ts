/**
 * Rectangles of one shape: for devices on which each shape of a graph costs a copy of the frozen model that
 * it reads.
 */
import { bucket } from '../../models/programs.ts';
import type { Device } from '../../runtime/index.ts';
import { packRows, unitsOf, type PackingLimits, type MicroBatch } from './packing.ts';

const ROUND = 8;
const powerUpTo = (n: number): number => 2 ** Math.floor(Math.log2(Math.max(1, n)));

export interface ShapePool {
  readonly device: Device;
  /** What the rectangles are for: those of one kind are alike. */ readonly kind: string;
}

/**
 * All units in rectangles of one shape, which is that of the rectangles before unless rows are longer now or
 * more: as long as the longest row so far, and as many units, a power of two, as the bound allows and there
 * have been; no beginnings are shared. Long rows stand together, so that what a rectangle computes of padding
 * is mostly rows that nobody needs.
 */
const packOneShape = (
  { device, kind }: ShapePool,
  lengths_R: ArrayLike<number>,
  { unit, tokens, context }: PackingLimits,
): MicroBatch[] => {
  const units = unitsOf(lengths_R, unit).sort((a, b) => b.length - a.length || a.rows[0] - b.rows[0]);
  if (units.length === 0) return [];
  const { T, most } = device.grown(`rectangles of ${kind}`, {
    T: Math.min(context, Math.ceil(units[0].length / ROUND) * ROUND),
    most: bucket(units.length),
  });
  const together = Math.min(most, powerUpTo(tokens / (T * unit)));
  return Array.from({ length: Math.ceil(units.length / together) }, (_, at) => ({
    R: together * unit,
    T,
    rows: Int32Array.from(units.slice(at * together, (at + 1) * together).flatMap(({ rows }) => rows)),
  }));
};

/**
 * Rows as rectangles: of few shapes, or of one, where `frozen` says that the graph reads what the device's
 * sessions hold.
 */
export const packFor = (
  alike: ShapePool & { readonly frozen: boolean },
  lengths_R: ArrayLike<number>,
  cutting: PackingLimits,
): readonly MicroBatch[] =>
  alike.frozen && alike.device.holdsFrozen
    ? packOneShape(alike, lengths_R, cutting)
    : packRows(lengths_R, cutting);
