import { cssColor } from '../lib/run-colors.svelte.ts';
import { smooth, type Line } from './series.ts';

/** A line with what is drawn of it: on a log scale only positive values, smoothed or as it is. */
export interface DrawnLine {
  readonly line: Line;
  readonly values: Float64Array;
  /** The values under a smoothed line; null without smoothing. */
  readonly raw: Float64Array | null;
  readonly low: Float64Array | null;
  readonly high: Float64Array | null;
}

export function drawnLine(line: Line, { smoothing, log }: { smoothing: number; log: boolean }): DrawnLine {
  const shown = (values: Float64Array): Float64Array =>
    log ? values.map((value) => (value > 0 ? value : Number.NaN)) : values;
  const raw = shown(line.values);
  return {
    line,
    values: smoothing > 0 ? shown(smooth(line.values, smoothing)) : raw,
    raw: smoothing > 0 ? raw : null,
    low: line.low && line.high ? shown(line.low) : null,
    high: line.low && line.high ? shown(line.high) : null,
  };
}

/** Positions of the points of a line in a span, and one on either side of it. */
export function visible(
  { steps }: Line,
  [from, to]: readonly [number, number],
): [first: number, end: number] {
  const at = (limit: number): number => {
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (steps[middle] < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const end = at(to);
  return [Math.max(0, at(from) - 1), Math.min(steps.length, end + 1)];
}

/** Least and greatest drawn value of lines in a span; null without a finite one. */
export function heights(
  lines: readonly DrawnLine[],
  span: readonly [number, number],
): [number, number] | null {
  let [least, greatest] = [Infinity, -Infinity];
  for (const { line, values, raw, low, high } of lines) {
    const [first, end] = visible(line, span);
    for (const column of [values, raw, low, high])
      for (let i = first; column && i < end; i += 1) {
        const value = column[i];
        if (!Number.isFinite(value) || line.steps[i] < span[0] || line.steps[i] > span[1]) continue;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
  }
  return least <= greatest ? [least, greatest] : null;
}

/** Area of the drawing, in pixels of the canvas. */
export interface Stage {
  readonly ctx: CanvasRenderingContext2D;
  readonly span: readonly [number, number];
  readonly x: (step: number) => number;
  readonly y: (value: number) => number;
  readonly ratio: number;
}

/** Points on the screen from which lines are drawn one pixel wide: wider ones cost 30 times as much without a GPU. */
const MANY = 8000;

/** Draws lines with their bands; a value that is not finite breaks a line. */
export function drawLines(lines: readonly DrawnLine[], stage: Stage): void {
  const parts = lines.map((drawn) => ({ drawn, part: visible(drawn.line, stage.span) }));
  const isMany = parts.reduce((sum, { part }) => sum + part[1] - part[0], 0) > MANY;
  const { ctx, ratio } = stage;
  const colors = new Map(lines.map(({ line: { mark } }) => [mark.variable, cssColor(mark.variable)]));
  const [thin, wide] = isMany ? [1, 1] : [ratio, 1.5 * ratio];
  for (const { drawn, part } of parts) {
    const color = colors.get(drawn.line.mark.variable) ?? '';
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    drawBand(drawn, part, { ...stage, isMany });
    if (drawn.raw) {
      ctx.globalAlpha = 0.28;
      drawPath(drawn.line.steps, drawn.raw, part, { ...stage, width: thin, dash: [] });
      ctx.globalAlpha = 1;
    }
    drawPath(drawn.line.steps, drawn.values, part, { ...stage, width: wide, dash: drawn.line.mark.dash });
    if (drawn.line.steps.length < 3) drawDots(drawn, stage);
  }
}

interface Pen extends Stage {
  readonly width: number;
  readonly dash: readonly number[];
}

function drawPath(
  steps: Float64Array,
  values: Float64Array,
  [first, end]: readonly [number, number],
  { ctx, x, y, ratio, width, dash }: Pen,
): void {
  ctx.lineWidth = width;
  ctx.setLineDash(dash.map((length) => length * ratio));
  ctx.beginPath();
  let isOpen = false;
  for (let i = first; i < end; i += 1) {
    const isFinite = Number.isFinite(values[i]);
    if (isFinite && isOpen) ctx.lineTo(x(steps[i]), y(values[i]));
    else if (isFinite) ctx.moveTo(x(steps[i]), y(values[i]));
    isOpen = isFinite;
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

/**
 * The range from the least to the greatest value: an area, or a bar a pixel where there is a point for each. Many
 * lines have bars, because areas take 20 times as long without a GPU.
 */
function drawBand(
  { line: { steps }, low, high }: DrawnLine,
  part: readonly [number, number],
  stage: Stage & { readonly isMany: boolean },
): void {
  if (!low || !high) return;
  const { ctx, x, ratio } = stage;
  const [first, end] = part;
  const isDense = end - first > 2 && x(steps[end - 1]) - x(steps[first]) < 2 * ratio * (end - first);
  if (isDense || stage.isMany) drawBars(steps, { low, high }, part, stage);
  else {
    ctx.globalAlpha = 0.16;
    ctx.beginPath();
    for (let i = first; i < end; i += 1)
      if (Number.isFinite(high[i])) ctx.lineTo(x(steps[i]), stage.y(high[i]));
    for (let i = end - 1; i >= first; i -= 1)
      if (Number.isFinite(low[i])) ctx.lineTo(x(steps[i]), stage.y(low[i]));
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

/** Bars from low to high: a single value far from the others remains visible as a bar of its own. */
function drawBars(
  steps: Float64Array,
  { low, high }: { low: Float64Array; high: Float64Array },
  [first, end]: readonly [number, number],
  { ctx, x, y }: Stage,
): void {
  ctx.globalAlpha = 0.4;
  ctx.lineWidth = 1;
  ctx.beginPath();
  let [column, least, greatest] = [Number.NaN, Number.NaN, Number.NaN];
  const draw = (): void => {
    if (least <= greatest) {
      ctx.moveTo(column + 0.5, y(least));
      // one value alone is a dot of a pixel
      ctx.lineTo(column + 0.5, Math.min(y(greatest), y(least) - 1));
    }
  };
  for (let i = first; i < end; i += 1) {
    const at = Math.floor(x(steps[i]));
    if (at !== column) {
      draw();
      [column, least, greatest] = [at, Infinity, -Infinity];
    }
    if (low[i] < least) least = low[i];
    if (high[i] > greatest) greatest = high[i];
  }
  draw();
  ctx.stroke();
}

function drawDots({ line: { steps }, values }: DrawnLine, { ctx, x, y, ratio }: Stage): void {
  for (let i = 0; i < steps.length; i += 1) {
    if (!Number.isFinite(values[i])) continue;
    ctx.beginPath();
    ctx.arc(x(steps[i]), y(values[i]), 2.5 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
}
