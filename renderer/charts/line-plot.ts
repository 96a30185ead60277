import uPlot from 'uplot';
import { cssColor } from '../lib/run-colors.svelte.ts';
import { decades, logTicks, padded, spread, stepIncrements, tickLabels } from './geometry.ts';
import { drawLines, drawnLine, heights, type DrawnLine } from './line-drawing.ts';
import type { Hover } from './line-readout.ts';
import { notFinite } from './series.ts';
import type { Line } from './series.ts';
import { zoomable, type Span } from './zoom.ts';

export interface PlotOptions {
  readonly width: number;
  readonly height: number;
  readonly log: boolean;
  readonly sync: string;
  readonly labels: boolean;
  /** The place under the pointer; null outside. */
  readonly onhover: (at: Hover | null) => void;
  /** The user chose a part of the x axis; null: all of it. */
  readonly onspan: (span: Span | null) => void;
}

const FONT = '11px "Inter Variable", system-ui, sans-serif';

/** Axes of steps and of values; `log`: the values are on a log scale. */
const axesOf = (log: boolean): uPlot.Axis[] => {
  const axis: uPlot.Axis = {
    stroke: cssColor('--ink-3'),
    font: FONT,
    grid: { stroke: cssColor('--line'), width: 1 },
    ticks: { show: false },
    gap: 4,
    values: (_, ticks) => tickLabels(ticks),
  };
  return [
    { ...axis, size: 24, grid: { show: false }, incrs: [...stepIncrements] },
    { ...axis, size: 52, space: 28, ...(log && { splits: (_, __, low, high) => logTicks(low, high) }) },
  ];
};

/** Names at the lines' ends instead of a legend box; at most as many as fit. */
function drawNames({ ctx, bbox, ends }: Ends, ratio: number): void {
  const fits = Math.floor(bbox.height / (13 * ratio));
  const shown = ends.slice(0, ends.length > fits ? fits - 1 : fits);
  const places = spread(
    shown.map(({ y }) => y),
    13 * ratio,
    bbox.top + 6 * ratio,
    bbox.top + bbox.height - (shown.length < ends.length ? 17 : 4) * ratio,
  );
  const left = bbox.left + bbox.width;
  shown.forEach(({ line: { label, mark } }, rank) => {
    ctx.fillStyle = cssColor(mark.variable);
    ctx.fillRect(left + 6 * ratio, places[rank] - ratio, 8 * ratio, 2 * ratio);
    ctx.fillStyle = cssColor('--ink-2');
    const text = label.length > 18 ? `${label.slice(0, 17)}…` : label;
    ctx.fillText(text, left + 18 * ratio, places[rank]);
  });
  if (shown.length < ends.length) {
    ctx.fillStyle = cssColor('--ink-3');
    const foot = bbox.top + bbox.height - 4 * ratio;
    ctx.fillText(`and ${ends.length - shown.length} more`, left + 18 * ratio, foot);
  }
}
interface Ends {
  readonly ctx: CanvasRenderingContext2D;
  readonly bbox: uPlot.BBox;
  readonly ends: readonly { readonly line: Line; readonly y: number }[];
}

/** Curves on a canvas: uPlot has the axes, the crosshair and the choice of a part; the lines are drawn here. */
export class LinePlot {
  private readonly plot: uPlot;
  private readonly options: PlotOptions;
  private readonly release: () => void;
  private readonly target: HTMLElement;
  private lines: readonly DrawnLine[] = [];
  private whole: Span = [0, 1];
  private span: Span = [0, 1];
  private dots: readonly HTMLElement[] = [];

  /** Makes a plot in `target`, with the colours of the current theme. */
  constructor(target: HTMLElement, options: PlotOptions) {
    this.options = options;
    this.target = target;
    this.plot = new uPlot(this.settings(), [this.span as unknown as number[], [0, 1]], target);
    this.release = zoomable(target, this.plot, {
      shown: () => this.span,
      whole: () => this.whole,
      onspan: options.onspan,
    });
  }

  /** Draws lines in a part of the whole x axis. */
  show(
    lines: readonly Line[],
    { smoothing, whole, span }: { smoothing: number; whole: Span; span: Span },
  ): void {
    this.lines = lines.map((line) => drawnLine(line, { smoothing, log: this.options.log }));
    [this.whole, this.span] = [whole, span];
    const found = heights(this.lines, span);
    // uPlot takes the ranges of its axes from these two points
    this.plot.setData([[...span], found ? [...found] : [null, null]]);
  }

  resize(width: number, height: number): void {
    this.plot.setSize({ width, height });
  }

  /** Marks the points of the lines under the crosshair; for few lines. */
  mark(points: readonly { readonly line: Line; readonly x: number; readonly value: number }[]): void {
    for (const dot of this.dots) dot.remove();
    this.dots = points.map(({ line, x, value }) => {
      const dot = document.createElement('div');
      const [left, top] = [this.plot.valToPos(x, 'x'), this.plot.valToPos(value, 'y')];
      dot.className = 'dot';
      dot.style.cssText = `left:${left}px;top:${top}px;background:${cssColor(line.mark.variable)}`;
      this.plot.over.append(dot);
      return dot;
    });
  }

  destroy(): void {
    this.release();
    this.plot.destroy();
  }

  private settings(): uPlot.Options {
    const { width, height, log, sync, labels } = this.options;
    return {
      width,
      height,
      padding: [8, labels ? 124 : 12, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: sync, setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
        bind: {
          // Shift and a drag move the part instead
          mousedown: (_plot, _target, handle) => (event) => (event.shiftKey ? null : handle(event)),
          dblclick: () => () => {
            this.options.onspan(null);
            return null;
          },
        },
      },
      scales: {
        x: { time: false, range: () => [...this.span] },
        y: log
          ? { distr: 3, log: 10, range: (_, low, high) => decades(low, high) }
          : { range: (_, low, high) => padded(low, high) },
      },
      axes: axesOf(log),
      series: [{}, { stroke: 'transparent', points: { show: false }, paths: () => null }],
      hooks: {
        draw: [(plot) => this.draw(plot)],
        setCursor: [(plot) => this.hover(plot)],
        setSelect: [(plot) => this.select(plot)],
      },
    };
  }

  private hover(plot: uPlot): void {
    const { left = -1, top = -1, event } = plot.cursor;
    const isHere = event && top >= 0;
    const offset = plot.over.offsetLeft + left;
    const pointer = isHere
      ? { value: plot.posToVal(top, 'y'), left: offset, width: this.target.clientWidth }
      : null;
    this.options.onhover(left >= 0 ? { x: plot.posToVal(left, 'x'), pointer } : null);
  }

  /** A dragged region becomes the shown part; charts of the same key hear of it by the page's state. */
  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 2) return;
    const span: Span = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    // the others of the key have the same region, to a pixel
    if (plot.cursor.event) this.options.onspan(span);
  }

  private draw(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    const x = (step: number): number => plot.valToPos(step, 'x', true);
    const y = (value: number): number => plot.valToPos(value, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top - 2 * ratio, bbox.width, bbox.height + 4 * ratio);
    ctx.clip();
    drawLines(this.lines, { ctx, span: this.span, x, y, ratio });
    ctx.restore();
    ctx.save();
    ctx.font = FONT.replace('11px', `${11 * ratio}px`);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    if (this.options.labels) drawNames({ ctx, bbox, ends: this.ends(y) }, ratio);
    ctx.fillStyle = cssColor('--bad');
    for (const { line } of this.lines)
      for (const step of notFinite(line))
        if (step >= this.span[0] && step <= this.span[1])
          ctx.fillText('×', x(step) - 3 * ratio, bbox.top + bbox.height - 6 * ratio);
    ctx.restore();
    this.note();
  }

  /** The drawing that is shown, for tests and benchmarks that wait for it. */
  private note(): void {
    const last = this.lines.reduce(
      (most, { line: { steps } }) => Math.max(most, steps.at(-1) ?? -Infinity),
      -Infinity,
    );
    this.target.dataset.span = this.span.join(' ');
    this.target.dataset.last = `${last}`;
  }

  private ends(y: (value: number) => number): Ends['ends'] {
    return this.lines.flatMap(({ line, values }) => {
      let last = values.length - 1;
      while (last >= 0 && !(Number.isFinite(values[last]) && line.steps[last] <= this.span[1])) last -= 1;
      return last < 0 ? [] : [{ line, y: y(values[last]) }];
    });
  }
}
