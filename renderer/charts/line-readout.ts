import type { Line } from './series.ts';
import { beginning } from './zoom.ts';

/** A place of the chart under the pointer. */
export interface Hover {
  readonly x: number;
  /** The value and the pixels there; null if the pointer is in another chart of the same x axis. */
  readonly pointer: { readonly value: number; readonly left: number; readonly width: number } | null;
}

/** A line's point at the x of the pointer; null where it has none. */
export interface LineValue {
  readonly line: Line;
  readonly value: number | null;
  /** The x of that point, which may be next to that of the pointer. */
  readonly x?: number;
}

/**
 * Lines by the distance of their values from that under the pointer, by ratio on a log scale; those without a
 * value last.
 */
export function byDistance(lines: readonly LineValue[], value: number, log = false): LineValue[] {
  const height = (own: number): number => (log ? Math.log(own) : own);
  const distance = ({ value: own }: LineValue): number => {
    const far = own === null ? Number.NaN : Math.abs(height(own) - height(value));
    return Number.isFinite(far) ? far : Infinity;
  };
  return lines
    .map((each) => ({ each, far: distance(each) }))
    .sort((a, b) => (a.far === b.far ? 0 : a.far - b.far))
    .map(({ each }) => each);
}

/** The x of the point of any line that is nearest to `x`; null without points. */
export function nearestX(lines: readonly Line[], x: number): number | null {
  let found: number | null = null;
  for (const { steps } of lines) {
    const at = positionOf(steps, x);
    if (at >= 0 && (found === null || Math.abs(steps[at] - x) < Math.abs(found - x))) found = steps[at];
  }
  return found;
}

/**
 * The point of a line at an x. Of a line with a band, whose points stand for others around them, the nearest one
 * within its ends; else the point at exactly that x. Null without one.
 */
export function pointAt(line: Line, x: number): { readonly x: number; readonly value: number } | null {
  const { steps, values, low } = line;
  const at = positionOf(steps, x);
  if (at < 0) return null;
  const isShown = low ? x >= beginning(line) && x <= steps[steps.length - 1] : steps[at] === x;
  return isShown ? { x: steps[at], value: values[at] } : null;
}

/** Position of the point nearest to x; -1 without points. */
function positionOf(steps: Float64Array, x: number): number {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - steps[low - 1] <= steps[low] - x ? low - 1 : high;
}
