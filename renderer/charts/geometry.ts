import { scaleLinear } from 'd3-scale';
import { number, rate } from '../lib/format.ts';

/** Pure geometry of the SVG marks: all in CSS pixels, y downwards. */
export interface Box {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}
export interface Tick {
  readonly value: number;
  readonly at: number;
  readonly label: string;
}
export interface Axis {
  readonly domain: readonly [number, number];
  readonly ticks: readonly Tick[];
  at(value: number): number;
}

/**
 * An axis over [low, high], widened to nice ends unless `exact`; a domain without width becomes one unit
 * wide.
 */
export function axis(
  low: number,
  high: number,
  from: number,
  to: number,
  { count = 5, exact = false }: { count?: number; exact?: boolean } = {},
): Axis {
  const [a, b] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const scale = scaleLinear([a, b], [from, to]);
  if (!exact) scale.nice(count);
  const [x, y] = scale.domain();
  const values = scale.ticks(count);
  const labels = tickLabels(values);
  return {
    domain: [x, y],
    ticks: values.map((value, index) => ({ value, at: scale(value), label: labels[index] })),
    at: (value) => scale(value),
  };
}

/**
 * Labels of one axis: all with the same number of digits, as many as the tick distance needs. Null (an
 * unlabelled tick) stays empty.
 */
export function tickLabels(values: readonly (number | null)[]): string[] {
  const shown = values.filter((value) => value !== null);
  const gaps = shown
    .slice(1)
    .map((value, index) => Math.abs(value - shown[index]))
    .filter((gap) => gap > 0);
  const step = Math.min(...gaps);
  const largest = Math.max(...shown.map(Math.abs));
  if (!Number.isFinite(step) || largest >= 1e5 || step < 1e-4 || largest / step > 1e4)
    return values.map((value) => (value === null ? '' : number(value)));
  const isExact = (digits: number) =>
    shown.every((value) => Math.abs(value - Number(value.toFixed(digits))) < step * 1e-6);
  const digits = [0, 1, 2, 3, 4, 5].find(isExact) ?? 5;
  return values.map((value) => (value === null ? '' : value === 0 ? '0' : rate(value, digits)));
}

/** Distances between the ticks of an axis of steps: a step is whole. */
export const stepIncrements: readonly number[] = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((times) => times * 10 ** power),
).flat();

type Bound = number | null | undefined;

/** Ticks of a log axis: 1 to 9 in each decade, powers of ten alone over many decades. */
export function logTicks(low: number, high: number): number[] {
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.ceil(Math.log10(high) - 1e-9);
  if (!Number.isFinite(from) || !Number.isFinite(to)) return [];
  const digits = to - from > 4 ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return Array.from({ length: to - from + 1 }, (_, at) =>
    digits.map((digit) => Number(`${digit}e${from + at}`)),
  )
    .flat()
    .filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

/** Whole decades around positive values, at least one; one up to 1 where nothing can be drawn on a log scale. */
export function decades(low: Bound, high: Bound): [number, number] {
  if (!low || !high || !(low > 0) || !Number.isFinite(high)) return [0.1, 1];
  const from = Math.floor(Math.log10(low));
  return [Number(`1e${from}`), Number(`1e${Math.max(from + 1, Math.ceil(Math.log10(high)))}`)];
}

/**
 * True if an x axis shows only part of its data. A plot that has not been drawn yet has no bounds, and is not
 * zoomed.
 */
export const isZoomed = (x: ArrayLike<number>, { min, max }: { min?: Bound; max?: Bound }): boolean =>
  x.length > 1 && typeof min === 'number' && typeof max === 'number' && (min > x[0] || max < x[x.length - 1]);

/**
 * The span of an x axis: the dragged range if zoomed; else the data, widened to the `range` shared by all
 * charts of a view.
 */
export function spanOf(
  x: ArrayLike<number>,
  low: Bound,
  high: Bound,
  range: readonly [number, number] | null,
): [number, number] {
  const isWhole =
    typeof low !== 'number' || typeof high !== 'number' || (low <= x[0] && high >= x[x.length - 1]);
  const ends = [
    ...(isWhole && range ? range : []),
    ...(typeof low === 'number' && typeof high === 'number' ? [low, high] : []),
  ].filter(Number.isFinite);
  const [from, to] = ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
  return from === to ? [from - 1, to + 1] : [from, to];
}

/**
 * The range of a y axis: the data with a margin; a flat line gets its own margin, and a range from 0 keeps
 * its 0.
 */
export function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [0, 1];
  // differences of rounding alone have no ticks between them
  const isFlat = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  const air = isFlat ? Math.abs(low) * 0.1 || 0.1 : (high - low) * 0.08;
  return [low >= 0 && low - air < 0 ? 0 : low - air, high <= 0 && high + air > 0 && !isFlat ? 0 : high + air];
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Bars of a histogram with one unit of `values` a bin; `gap` pixels between neighbours. */
export function bars(
  bins: readonly { from: number; to: number }[],
  values: readonly number[],
  x: Axis,
  y: Axis,
  gap = 1,
): Bar[] {
  return bins.map(({ from, to }, index) => {
    const [left, right, top, foot] = [x.at(from), x.at(to), y.at(values[index]), y.at(0)];
    return {
      x: left + gap / 2,
      y: top,
      width: Math.max(0, right - left - gap),
      height: Math.max(0, foot - top),
    };
  });
}

/** The outline of a histogram, as steps: drawn over bars of another class so that overlap can be read. */
export function steps(
  bins: readonly { from: number; to: number }[],
  values: readonly number[],
  x: Axis,
  y: Axis,
): string {
  if (bins.length === 0) return '';
  const parts = [`M${round(x.at(bins[0].from))},${round(y.at(0))}`];
  bins.forEach(({ from, to }, index) =>
    parts.push(
      `L${round(x.at(from))},${round(y.at(values[index]))}L${round(x.at(to))},${round(y.at(values[index]))}`,
    ),
  );
  parts.push(`L${round(x.at(bins[bins.length - 1].to))},${round(y.at(0))}`);
  return parts.join('');
}

/** A line that breaks at missing or non-finite values instead of joining over them. */
export function path(points: readonly { x: number; y: number }[], x: Axis, y: Axis): string {
  let open = false;
  let out = '';
  for (const point of points) {
    const fine = Number.isFinite(point.x) && Number.isFinite(point.y);
    if (fine) out += `${open ? 'L' : 'M'}${round(x.at(point.x))},${round(y.at(point.y))}`;
    open = fine;
  }
  return out;
}

/**
 * Pushes labels apart so that none is closer than `gap` to its neighbour; keeps their order and stays near
 * their positions.
 */
export function spread(positions: readonly number[], gap: number, low: number, high: number): number[] {
  const order = positions.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at);
  const placed: number[] = [];
  for (const { at } of order)
    placed.push(Math.max(at, placed.length ? placed[placed.length - 1] + gap : low));
  const overflow = placed.length ? placed[placed.length - 1] - high : 0;
  if (overflow > 0) {
    let limit = high;
    for (let i = placed.length - 1; i >= 0; i--) {
      placed[i] = Math.min(placed[i], limit);
      limit = placed[i] - gap;
    }
  }
  const out = new Array<number>(positions.length);
  order.forEach(({ index }, rank) => {
    out[index] = placed[rank];
  });
  return out;
}

const round = (value: number): number => Math.round(value * 100) / 100;
