/**
 * Packs rows into micro-batches of a single shape, for devices on which each shape of a graph costs a copy
 * of its frozen model.
 */
import { bucket } from '../../models/programs.ts';
import type { Device } from '../../runtime/index.ts';
import { packRows, unitsOf, type PackingLimits, type MicroBatch } from './packing.ts';

const ROUND = 8;
const powerUpTo = (n: number): number => 2 ** Math.floor(Math.log2(Math.max(1, n)));

export interface ShapePool {
  readonly device: Device;
  /** Kind of the micro-batches: those of one kind have the same shape. */ readonly kind: string;
}

/**
 * Packs all units into micro-batches of one shape, which only grows when rows are longer or more than
 * before: T fits the longest row so far, and the number of units is a power of two within the bound;
 * prefixes are not shared. Long rows are put together, so that padding is mostly whole rows.
 */
const packOneShape = (
  { device, kind }: ShapePool,
  lengths_R: ArrayLike<number>,
  { unit, tokens, context }: PackingLimits,
): MicroBatch[] => {
  const units = unitsOf(lengths_R, unit).sort((a, b) => b.length - a.length || a.rows[0] - b.rows[0]);
  if (units.length === 0) return [];
  const { T, most } = device.grown(`micro-batches of ${kind}`, {
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
 * Packs rows into padded micro-batches. Uses a single shape if `frozen`, when the device's sessions hold the
 * frozen weights, because each shape would copy them.
 */
export const packFor = (
  pool: ShapePool & { readonly frozen: boolean },
  lengths_R: ArrayLike<number>,
  cutting: PackingLimits,
): readonly MicroBatch[] =>
  pool.frozen && pool.device.holdsFrozen
    ? packOneShape(pool, lengths_R, cutting)
    : packRows(lengths_R, cutting);
