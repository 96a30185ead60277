import uPlot from 'uplot';
import { cssColor } from '../lib/run-colors.svelte.ts';
import {
  decades,
  isZoomed,
  logTicks,
  padded,
  spanOf,
  spread,
  stepIncrements,
  tickLabels,
} from './geometry.ts';
import { align, notFinite, smooth } from './series.ts';
import type { Line } from './series.ts';

export interface PlotOptions {
  readonly width: number;
  readonly height: number;
  readonly log: boolean;
  readonly smoothing: number;
  readonly sync: string;
  readonly labels: boolean;
  readonly range: () => readonly [number, number] | null;
  readonly onhover: (index: number | null) => void;
}

const FONT = '11px "Inter Variable", system-ui, sans-serif';
const alpha = (color: string, percent: number) => `color-mix(in srgb, ${color} ${percent}%, transparent)`;

/**
 * Columns in the order that `makePlot` draws them: raw (faint, under a smoothed line), the line, then bands'
 * edges.
 */
export function plotData(lines: readonly Line[], smoothing: number, log: boolean): uPlot.AlignedData {
  const visible = (values: Float64Array) =>
    log ? values.map((value) => (value > 0 ? value : Number.NaN)) : values;
  const columns = lines.flatMap((line) => {
    const raw = { steps: line.steps, values: visible(line.values) };
    const drawn =
      smoothing > 0 ? { steps: line.steps, values: visible(smooth(line.values, smoothing)) } : raw;
    const edges = [line.low ?? line.values, line.high ?? line.values].map((values) => ({
      steps: line.steps,
      values: visible(values),
    }));
    return [raw, drawn, ...edges];
  });
  const { x, columns: aligned } = align(columns);
  return [x, ...aligned];
}

const COLUMNS = 4;

function seriesOf(line: Line, smoothing: number): uPlot.Series[] {
  const color = cssColor(line.mark.variable);
  const hidden: uPlot.Series = { show: true, stroke: 'transparent', width: 0, points: { show: false } };
  const bridge = { spanGaps: false, points: { show: false } } as const;
  return [
    {
      label: `${line.label} (raw)`,
      stroke: smoothing > 0 ? alpha(color, 28) : 'transparent',
      width: 1,
      ...bridge,
    },
    {
      label: line.label,
      stroke: color,
      width: 1.5,
      dash: [...line.mark.dash],
      ...bridge,
      points: { show: line.steps.length < 3, size: 5, fill: color },
    },
    hidden,
    hidden,
  ];
}

/**
 * Draws names at the lines' ends instead of a legend box, and a cross at the foot for each non-finite value.
 */
function drawMarks(plot: uPlot, lines: readonly Line[], labels: boolean): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = FONT.replace('11px', `${11 * ratio}px`);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const ends = lines
    .map((_, index) => {
      const column = plot.data[index * COLUMNS + 2];
      let last = column.length - 1;
      while (last >= 0 && typeof column[last] !== 'number') last -= 1;
      return last < 0 ? null : { index, y: plot.valToPos(column[last] as number, 'y', true) };
    })
    .filter((end) => end !== null);
  if (labels) {
    const places = spread(
      ends.map(({ y }) => y),
      13 * ratio,
      bbox.top + 6 * ratio,
      bbox.top + bbox.height - 4 * ratio,
    );
    ends.forEach(({ index }, rank) => {
      ctx.fillStyle = cssColor(lines[index].mark.variable);
      ctx.fillRect(bbox.left + bbox.width + 6 * ratio, places[rank] - ratio, 8 * ratio, 2 * ratio);
      ctx.fillStyle = cssColor('--ink-2');
      ctx.fillText(
        lines[index].label.length > 18 ? `${lines[index].label.slice(0, 17)}…` : lines[index].label,
        bbox.left + bbox.width + 18 * ratio,
        places[rank],
      );
    });
  }
  for (const line of lines) {
    ctx.fillStyle = cssColor('--bad');
    for (const step of notFinite(line)) {
      const x = plot.valToPos(step, 'x', true);
      if (x >= bbox.left && x <= bbox.left + bbox.width)
        ctx.fillText('×', x - 3 * ratio, bbox.top + bbox.height - 6 * ratio);
    }
  }
  ctx.restore();
}

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

/** A plot in `target`, with the colours of the current theme. */
export function makePlot(target: HTMLElement, lines: readonly Line[], options: PlotOptions): uPlot {
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      padding: [8, options.labels ? 124 : 12, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: options.sync, setSeries: false },
        drag: { x: true, y: false },
        points: { size: 6 },
        y: false,
      },
      scales: {
        x: { time: false, range: (plot, low, high) => spanOf(plot.data[0], low, high, options.range()) },
        y: options.log
          ? { distr: 3, log: 10, range: (_, low, high) => decades(low, high) }
          : { range: (_, low, high) => padded(low, high) },
      },
      axes: axesOf(options.log),
      series: [{}, ...lines.flatMap((line) => seriesOf(line, options.smoothing))],
      bands: lines.flatMap((line, index) =>
        line.low
          ? [
              {
                series: [index * COLUMNS + 4, index * COLUMNS + 3] as [number, number],
                fill: alpha(cssColor(line.mark.variable), 16),
              },
            ]
          : [],
      ),
      hooks: {
        draw: [(plot) => drawMarks(plot, lines, options.labels)],
        setCursor: [(plot) => options.onhover(plot.cursor.idx ?? null)],
      },
    },
    plotData(lines, options.smoothing, options.log),
    target,
  );
}

/** The value of a drawn line at an index of the shared x; for the read-out. */
export const valueAt = (plot: uPlot, line: number, index: number): number | null =>
  plot.data[line * COLUMNS + 2]?.[index] ?? null;

/** New points for the same lines. A zoomed plot keeps its window while they arrive. */
export function replaceData(plot: uPlot, data: uPlot.AlignedData): void {
  const zoomed = isZoomed(plot.data[0], plot.scales.x);
  plot.setData(data, !zoomed);
  if (zoomed) plot.redraw();
}
