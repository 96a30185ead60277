import { quantile } from '../../../engine/index.ts';
import type { PairCells } from '../../store/inspections/index.ts';

/** A slice: the positions of its pairs, rising. */
export interface Slice {
  readonly name: string;
  readonly positions: Uint32Array;
}

/** Pairs without a value of a column. */
export const noValue = '(none)';
/** Most different numbers of a column that are slices of their own; more become quarters. */
const mostNumbers = 8;

const asNumber = (value: string): number => (value.trim() === '' ? Number.NaN : Number(value));

/** Positions by value. A pair with several values is in several slices. */
function byCode(decided: Uint32Array, { offsets, codes }: PairCells) {
  const none: number[] = [];
  const found = new Map<number, number[]>();
  for (const at of decided) {
    if (offsets[at] === offsets[at + 1]) none.push(at);
    for (let j = offsets[at]; j < offsets[at + 1]; j += 1) {
      const own = found.get(codes[j]) ?? [];
      own.push(at);
      found.set(codes[j], own);
    }
  }
  return { none, found };
}

/** Quarters of a column of many numbers. */
function quartersOf(parts: readonly (readonly [number, readonly number[]])[]): Slice[] {
  const all = parts.flatMap(([value, own]) => own.map(() => value));
  const edges = [...new Set([0, 0.25, 0.5, 0.75, 1].map((q) => quantile(all, q)))];
  return edges.slice(1).flatMap((to, i): Slice[] => {
    const from = edges[i];
    const isLast = i === edges.length - 2;
    const own = parts
      .filter(([value]) => value >= from && (value < to || (isLast && value === to)))
      .flatMap(([, positions]) => positions);
    const shown = (edge: number): string => String(Number(edge.toPrecision(4)));
    return own.length > 0
      ? [{ name: `${shown(from)} to ${shown(to)}`, positions: Uint32Array.from(own).sort() }]
      : [];
  });
}

/**
 * Slices of a column: each value, largest slice first; numbers in their order, more than eight of them as
 * quarters. Pairs without a value are the last slice.
 */
export function slicesOfCells(decided: Uint32Array, cells: PairCells): Slice[] {
  const { none, found } = byCode(decided, cells);
  const rest = none.length > 0 ? [{ name: noValue, positions: Uint32Array.from(none) }] : [];
  const parts = [...found].map(([code, own]) => [cells.values[code], own] as const);
  const areNumbers = parts.every(([value]) => Number.isFinite(asNumber(value)));
  if (areNumbers && parts.length > mostNumbers)
    return [...quartersOf(parts.map(([value, own]) => [asNumber(value), own] as const)), ...rest];
  const sorted = areNumbers
    ? parts.sort(([a], [b]) => asNumber(a) - asNumber(b))
    : parts.sort(([a, own], [b, other]) => other.length - own.length || (a < b ? -1 : 1));
  return [...sorted.map(([name, own]) => ({ name, positions: Uint32Array.from(own) })), ...rest];
}
