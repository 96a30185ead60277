import { scaleLinear } from 'd3-scale';
import type { ChartBlock, ChartSeries } from './input.ts';

/**
 * Size of the Okabe–Ito palette, in the order of runs. Colours are classes, so that light and dark can
 * differ.
 */
export const paletteSize = 8;

const size = { width: 640, height: 300, left: 52, right: 150, top: 12, bottom: 40 };

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c,
  );

const extent = (values: readonly number[]): [number, number] => {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const low = finite.reduce((a, b) => Math.min(a, b));
  const high = finite.reduce((a, b) => Math.max(a, b));
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
};

/** The range of values that each axis shows. */
interface Domain {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

const scalesOf = ({ series, yRange, xRange, bars = false }: ChartBlock) => {
  const all = series.flatMap((s) => s.points);
  const across = scaleLinear()
    .domain(xRange ?? extent(all.map(([px]) => px)))
    .range([size.left, size.width - size.right]);
  const up = scaleLinear()
    .domain(yRange ?? (bars ? [0, extent(all.map(([, py]) => py))[1]] : extent(all.map(([, py]) => py))))
    .range([size.height - size.bottom, size.top]);
  if (!yRange) up.nice();
  return { across, up };
};

/** A chart's numbers for the report's script, as JSON; a gap is null. */
export function chartData(block: ChartBlock): string {
  const { across, up } = scalesOf(block);
  const domain: Domain = { x: across.domain(), y: up.domain() };
  const { x, y, series, yRange, bars = false } = block;
  const frame = {
    left: size.left,
    right: size.width - size.right,
    top: size.top,
    bottom: size.height - size.bottom,
  };
  const isFixed = yRange !== undefined;
  const named = series.map(({ name, points }) => ({ name, points }));
  return JSON.stringify({ frame, domain, x, y, isFixed, bars, series: named }, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? null : value,
  );
}

/** Renders a chart as SVG: thin lines, direct labels at line ends, hairline grid. */
export function chart(block: ChartBlock): string {
  const { title, x, y, series, bars = false } = block;
  const { across, up } = scalesOf(block);
  const format = { x: across.tickFormat(6), y: up.tickFormat(5) };
  const grid = up
    .ticks(5)
    .map(
      (t) =>
        `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${up(t)}" ` +
        `y2="${up(t)}"/><text class="tick" text-anchor="end" x="${size.left - 6}" ` +
        `y="${up(t) + 4}">${format.y(t)}</text>`,
    );
  const ticks = across
    .ticks(6)
    .map(
      (t) =>
        `<text class="tick" text-anchor="middle" x="${across(t)}" ` +
        `y="${size.height - size.bottom + 16}">${format.x(t)}</text>`,
    );
  const marks = series.map((s, at) => {
    const drawn = bars ? barMarks(s, at, series.length, across, up) : lineMarks(s, across, up);
    return `<g data-series="${at}">${drawn}</g>`;
  });
  const axes = `<g class="axes">${[...grid, ...ticks].join('')}</g>`;
  const drawn = [axes, ...marks, endLabels(series, up)].join('');
  const middle = (size.top + size.height - size.bottom) / 2;
  return `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(title)}">${drawn}
<text class="axis" text-anchor="middle" x="${(size.left + size.width - size.right) / 2}" y="${size.height - 6}">${escapeHtml(x)}</text>
<text class="axis" text-anchor="middle" transform="translate(12 ${middle}) rotate(-90)">${escapeHtml(y)}</text></svg>`;
}

type Scale = (value: number) => number;

function lineMarks(s: ChartSeries, across: Scale, up: Scale): string {
  const finite = s.points.filter(([px, py]) => Number.isFinite(px) && Number.isFinite(py));
  const dots =
    s.marks || finite.length < 12
      ? finite
          .map(
            ([px, py]) =>
              `<circle class="c${s.colour % paletteSize} dot" cx="${across(px).toFixed(1)}" ` +
              `cy="${up(py).toFixed(1)}" r="2.6"/>`,
          )
          .join('')
      : '';
  if (s.marks) return dots;
  let pen = 'M';
  const path = s.points
    .map(([px, py]) => {
      if (!Number.isFinite(py)) {
        pen = 'M';
        return '';
      }
      const step = `${pen}${across(px).toFixed(1)} ${up(py).toFixed(1)}`;
      pen = 'L';
      return step;
    })
    .join('');
  return `<path class="c${s.colour % paletteSize} line${s.dashed ? ' dashed' : ''}" d="${path}"/>${dots}`;
}

function barMarks(s: ChartSeries, at: number, count: number, across: Scale, up: Scale): string {
  const step = s.points.length > 1 ? Math.abs(across(s.points[1][0]) - across(s.points[0][0])) : 20;
  const width = Math.max(1, (step * 0.86) / count);
  return s.points
    .map(
      ([px, py]) =>
        `<rect class="c${s.colour % paletteSize} bar" ` +
        `x="${(across(px) - (step * 0.86) / 2 + at * width).toFixed(1)}" y="${up(py).toFixed(1)}" ` +
        `width="${width.toFixed(1)}" height="${Math.max(0, up(0) - up(py)).toFixed(1)}"/>`,
    )
    .join('');
}

/** Labels at line ends, moved apart so that none overlap. */
function endLabels(series: readonly ChartSeries[], up: Scale): string {
  const ends = series
    .map((s, of) => {
      const last = s.points.findLast(([, py]) => Number.isFinite(py));
      return { of, name: s.name, colour: s.colour, y: last ? up(last[1]) : size.top };
    })
    .sort((a, b) => a.y - b.y);
  let floor = size.top + 6;
  return ends
    .map((end) => {
      floor = Math.max(end.y + 4, floor);
      const label =
        `<text class="c${end.colour % paletteSize} name" data-of="${end.of}" x="${size.width - size.right + 8}" ` +
        `y="${floor.toFixed(1)}">${escapeHtml(end.name)}</text>`;
      floor += 14;
      return label;
    })
    .join('');
}

/** A dot with an interval on a common scale, for a table cell. */
export function whisker(
  value: number,
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
  colour: number,
): string {
  const across = scaleLinear().domain([from, to]).range([3, 97]).clamp(true);
  return (
    '<svg class="whisker" viewBox="0 0 100 14" aria-hidden="true"><line class="grid" x1="0" x2="100" ' +
    `y1="7" y2="7"/><line class="c${colour % paletteSize} line" x1="${across(low).toFixed(1)}" ` +
    `x2="${across(high).toFixed(1)}" y1="7" y2="7"/><circle class="c${colour % paletteSize} dot" ` +
    `cx="${across(value).toFixed(1)}" cy="7" r="3"/></svg>`
  );
}
