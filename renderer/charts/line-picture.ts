import { number } from '../lib/format.ts';
import { axis, decades, logTicks, padded, path, spread, type Axis } from './geometry.ts';
import { svgNode } from './picture.ts';
import { notFinite, smooth } from './series.ts';
import type { Line } from './series.ts';

export interface LinePictureOptions {
  readonly width: number;
  readonly height: number;
  readonly log: boolean;
  readonly smoothing: number;
  /** The shown steps, `[first, last]`. */
  readonly span: readonly [number, number];
}

const LEFT = 52;
const NAMES = 130;

/** Curves as an SVG drawing, for files: the same lines, bands and names as `makePlot` draws on its canvas. */
export function linePicture(
  lines: readonly Line[],
  { width, height, log, smoothing, span }: LinePictureOptions,
): SVGSVGElement {
  const right = width - (lines.length > 1 ? NAMES : 12);
  const curves = lines.map((line) => curveOf(line, { log, smoothing, span }));
  const heights = curves.flatMap(({ raw, drawn, low, high }) =>
    [...raw, ...drawn, ...low, ...high].map((point) => point.y),
  );
  const x = axis(span[0], span[1], LEFT, right, { exact: true });
  const y = yAxis(heights.filter(Number.isFinite), height - 36, log);
  const picture = svgNode('svg', { width, height });
  picture.append(
    ...axisNodes(x, y, right, height),
    ...curves.flatMap((curve) => curveNodes(curve, x, y)),
    ...lines.flatMap((line) => crossNodes(line, span, x, height)),
    ...(lines.length > 1 ? nameNodes(curves, y, right, height) : []),
  );
  return picture;
}

type Points = readonly { readonly x: number; readonly y: number }[];
/** The points of a line in the shown steps, by drawn height: the logarithm of the value on a log scale. */
interface Curve {
  readonly line: Line;
  readonly raw: Points;
  readonly drawn: Points;
  readonly low: Points;
  readonly high: Points;
}

function curveOf(
  line: Line,
  { log, smoothing, span }: Pick<LinePictureOptions, 'log' | 'smoothing' | 'span'>,
): Curve {
  const heightOf = (value: number) => (log ? (value > 0 ? Math.log10(value) : Number.NaN) : value);
  const pointsOf = (values: Float64Array | undefined): Points =>
    values
      ? [...line.steps]
          .map((step, at) => ({ x: step, y: heightOf(values[at]) }))
          .filter((point) => point.x >= span[0] && point.x <= span[1])
      : [];
  const raw = pointsOf(line.values);
  return {
    line,
    raw: smoothing ? raw : [],
    drawn: smoothing ? pointsOf(smooth(line.values, smoothing)) : raw,
    low: pointsOf(line.low),
    high: pointsOf(line.high),
  };
}

/** Band, raw points under a smoothed line, and the line; a line of one or two points has dots. */
function curveNodes({ line, raw, drawn, low, high }: Curve, x: Axis, y: Axis): SVGElement[] {
  const color = `var(${line.mark.variable})`;
  const stroke = { fill: 'none', stroke: color };
  const dash = line.mark.dash.join(' ') || undefined;
  const dots = drawn.length < 3 ? drawn.filter((point) => Number.isFinite(point.y)) : [];
  return [
    ...(low.length && high.length ? [bandNode(low, high, { x, y, color })] : []),
    svgNode('path', { d: path(raw, x, y), ...stroke, opacity: 0.28 }),
    svgNode('path', { d: path(drawn, x, y), ...stroke, 'stroke-width': 1.5, 'stroke-dasharray': dash }),
    ...dots.map((point) => svgNode('circle', { cx: x.at(point.x), cy: y.at(point.y), r: 2.5, fill: color })),
  ];
}

/** The names of lines at their ends. */
function nameNodes(curves: readonly Curve[], y: Axis, right: number, height: number): SVGElement[] {
  const ends = curves.flatMap(({ line, drawn }) => {
    const end = drawn.findLast((point) => Number.isFinite(point.y));
    return end ? [{ line, at: y.at(end.y) }] : [];
  });
  const places = spread(
    ends.map(({ at }) => at),
    13,
    12,
    height - 40,
  );
  return ends.flatMap(({ line: { label, mark } }, at) => [
    svgNode('rect', { x: right + 6, y: places[at] - 1, width: 8, height: 2, fill: `var(${mark.variable})` }),
    svgNode(
      'text',
      { x: right + 18, y: places[at] + 4, 'font-size': 11, fill: 'var(--ink-2)' },
      label.length > 18 ? `${label.slice(0, 17)}…` : label,
    ),
  ]);
}

/** An axis of values, or of their logarithms with the values as labels. */
function yAxis(heights: readonly number[], foot: number, log: boolean): Axis {
  const [low, high] = heights.length ? [Math.min(...heights), Math.max(...heights)] : [null, null];
  if (!log) {
    const [from, to] = padded(low, high);
    return axis(from, to, foot, 10, { exact: true });
  }
  // whole decades, with the ticks of the screen
  const [from, to] = decades(low === null ? null : 10 ** low, high === null ? null : 10 ** high);
  const logs = axis(Math.log10(from), Math.log10(to), foot, 10, { exact: true });
  const ticks = logTicks(from, to);
  const isLabeled = (tick: number): boolean =>
    ticks.length < 12 || Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
  return {
    ...logs,
    ticks: ticks.map((tick) => {
      const value = Math.log10(tick);
      return { value, at: logs.at(value), label: isLabeled(tick) ? number(tick) : '' };
    }),
  };
}

const axisNodes = (x: Axis, y: Axis, right: number, height: number): SVGElement[] => {
  const text = { 'font-size': 11, fill: 'var(--ink-3)' };
  return [
    ...y.ticks.flatMap(({ at, label }) => [
      svgNode('line', { x1: LEFT, x2: right, y1: at, y2: at, stroke: 'var(--line)' }),
      svgNode('text', { x: LEFT - 6, y: at + 4, 'text-anchor': 'end', ...text }, label),
    ]),
    ...x.ticks.map(({ at, label }) =>
      svgNode('text', { x: at, y: height - 20, 'text-anchor': 'middle', ...text }, label),
    ),
    svgNode('text', { x: (LEFT + right) / 2, y: height - 4, 'text-anchor': 'middle', ...text }, 'step'),
  ];
};

function bandNode(
  low: Points,
  high: Points,
  { x, y, color }: { x: Axis; y: Axis; color: string },
): SVGElement {
  const isFinite = (_: unknown, at: number) => Number.isFinite(low[at].y) && Number.isFinite(high[at].y);
  const outline = [...high.filter(isFinite), ...low.filter(isFinite).reverse()];
  return svgNode('path', { d: `${path(outline, x, y)}Z`, fill: color, opacity: 0.16, stroke: 'none' });
}

/** A cross at the foot for each value that is not finite. */
const crossNodes = (
  line: Line,
  [from, to]: readonly [number, number],
  x: Axis,
  height: number,
): SVGElement[] =>
  notFinite(line)
    .filter((step) => step >= from && step <= to)
    .map((step) =>
      svgNode(
        'text',
        { x: x.at(step), y: height - 40, 'text-anchor': 'middle', 'font-size': 11, fill: 'var(--bad)' },
        '×',
      ),
    );
