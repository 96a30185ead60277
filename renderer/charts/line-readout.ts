import type { Line } from './series.ts';

/** A place of the chart under the pointer. */
export interface Hover {
  readonly x: number;
  /** The value and the pixels there; null if the pointer is in another chart of the same x axis. */
  readonly pointer: { readonly value: number; readonly left: number; readonly width: number } | null;
}

/** A line's value at the x of the pointer; null where it has no point. */
export interface LineValue {
  readonly line: Line;
  readonly value: number | null;
}

/** Lines by the distance of their values from that under the pointer; those without a value last. */
export function byDistance(lines: readonly LineValue[], value: number): LineValue[] {
  const distance = ({ value: own }: LineValue): number =>
    own === null || !Number.isFinite(own) ? Infinity : Math.abs(own - value);
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

/** The value of a line at an x: of its point there, or of the bucket with that step; null without one. */
export function valueAt({ steps, values, low }: Line, x: number): number | null {
  const at = positionOf(steps, x);
  if (at < 0) return null;
  if (!low) return steps[at] === x ? values[at] : null;
  // a bucket has the last of its steps
  const bucket = steps[at] < x ? at + 1 : at;
  const isInside = x >= steps[0] && bucket < steps.length;
  return isInside ? values[bucket] : null;
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
