import { scaleLinear } from 'd3-scale';

/** Pure geometry of the SVG marks: all in CSS pixels, y downwards. */
export interface Box { readonly width: number; readonly height: number; readonly top: number; readonly right: number; readonly bottom: number; readonly left: number }
export interface Tick { readonly value: number; readonly at: number }
export interface Axis { readonly domain: readonly [number, number]; readonly ticks: readonly Tick[]; at(value: number): number }

/** An axis over [low, high], widened to nice ends unless `exact`; a domain without width becomes one unit wide. */
export function axis(low: number, high: number, from: number, to: number, { count = 5, exact = false }: { count?: number; exact?: boolean } = {}): Axis {
  const [a, b] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const scale = scaleLinear([a, b], [from, to]);
  if (!exact) scale.nice(count);
  const [x, y] = scale.domain();
  return { domain: [x, y], ticks: scale.ticks(count).map((value) => ({ value, at: scale(value) })), at: (value) => scale(value) };
}

export interface Bar { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** Bars of a histogram with one unit of `values` a bin; `gap` pixels between neighbours. */
export function bars(bins: readonly { from: number; to: number }[], values: readonly number[], x: Axis, y: Axis, gap = 1): Bar[] {
  return bins.map(({ from, to }, index) => {
    const [left, right, top, foot] = [x.at(from), x.at(to), y.at(values[index]), y.at(0)];
    return { x: left + gap / 2, y: top, width: Math.max(0, right - left - gap), height: Math.max(0, foot - top) };
  });
}

/** The outline of a histogram, as steps: drawn over bars of another class so that overlap can be read. */
export function steps(bins: readonly { from: number; to: number }[], values: readonly number[], x: Axis, y: Axis): string {
  if (bins.length === 0) return '';
  const parts = [`M${round(x.at(bins[0].from))},${round(y.at(0))}`];
  bins.forEach(({ from, to }, index) => parts.push(`L${round(x.at(from))},${round(y.at(values[index]))}L${round(x.at(to))},${round(y.at(values[index]))}`));
  parts.push(`L${round(x.at(bins[bins.length - 1].to))},${round(y.at(0))}`);
  return parts.join('');
}

/** A line that breaks at what is missing or not finite, instead of joining over it. */
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

/** Pushes labels apart so that none is closer than `gap` to its neighbour; keeps their order and stays near where they belong. */
export function spread(positions: readonly number[], gap: number, low: number, high: number): number[] {
  const order = positions.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at);
  const placed: number[] = [];
  for (const { at } of order) placed.push(Math.max(at, placed.length ? placed[placed.length - 1] + gap : low));
  const overflow = placed.length ? placed[placed.length - 1] - high : 0;
  if (overflow > 0) {
    let limit = high;
    for (let i = placed.length - 1; i >= 0; i--) { placed[i] = Math.min(placed[i], limit); limit = placed[i] - gap; }
  }
  const out = new Array<number>(positions.length);
  order.forEach(({ index }, rank) => { out[index] = placed[rank]; });
  return out;
}

const round = (value: number): number => Math.round(value * 100) / 100;
