/** Figures of plotly.js from marks. */
import type {
  Band,
  Bars,
  Colors,
  Heat,
  Line,
  Mark,
  Parallel,
  PlotAxes,
  PlotAxis,
  Points,
  Violin,
} from './marks.ts';

type Values = Readonly<Record<string, unknown>>;
export interface Figure {
  readonly data: readonly Values[];
  readonly layout: Values;
  readonly config: Values;
}

/** Points from which WebGL draws them in place of SVG. */
const MANY = 2000;

/** Text that plotly.js shows as it is: it reads tags such as `<a href>` and fields such as `%{x}` in labels. */
export const plainText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('%{', '% {');

/** Longest text of a hover label, in characters. */
const LONGEST = 160;
const labels = (texts: readonly string[] | undefined, name: string, n: number): string[] =>
  Array.from({ length: n }, (_none, at) => {
    const text = texts?.[at] ?? name;
    return plainText(text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
  });

type ErrorBars = Values | undefined;
function bars(values: readonly (number | string)[], bounds: Points['yBounds'], color: string): ErrorBars {
  if (!bounds) return undefined;
  const distance = (side: 0 | 1) =>
    values.map((value, at) => {
      const bound = bounds[at];
      return bound && typeof value === 'number' ? Math.abs(bound[side] - value) : 0;
    });
  return {
    type: 'data',
    symmetric: false,
    array: distance(1),
    arrayminus: distance(0),
    color,
    thickness: 1,
    width: 3,
  };
}

const oneHue = (colors: Colors): readonly (readonly [number, string])[] => [
  [0, colors('--shade-low')],
  [1, colors('--shade-high')],
];
const twoHues = (colors: Colors): readonly (readonly [number, string])[] => [
  [0, colors('--run-0')],
  [0.5, colors('--surface')],
  [1, colors('--run-1')],
];
const colorBar = (title: string, colors: Colors): Values => ({
  title: { text: plainText(title), side: 'right' },
  thickness: 8,
  outlinewidth: 0,
  tickfont: { color: colors('--ink-2') },
});
const coordinates = ({ x, y }: PlotAxes): string =>
  `%{text}<br>${plainText(x.title)}: %{x}<br>${plainText(y.title)}: %{y}<extra></extra>`;

const traces: { readonly [K in Mark['kind']]: (mark: never, axes: PlotAxes, colors: Colors) => Values } = {
  points: (mark: Points, axes, colors) => {
    const color = colors(mark.variable);
    return {
      type: mark.x.length > MANY ? 'scattergl' : 'scatter',
      mode: 'markers',
      name: plainText(mark.name),
      x: mark.x,
      y: mark.y,
      customdata: mark.keys,
      text: labels(mark.texts, mark.name, mark.x.length),
      hovertemplate: coordinates(axes),
      marker: {
        symbol: mark.symbol ?? 'circle',
        size: mark.x.length > MANY ? 4 : 7,
        color: mark.shades?.values ?? color,
        ...(mark.shades && {
          colorscale: oneHue(colors),
          showscale: true,
          colorbar: colorBar(mark.shades.title, colors),
        }),
      },
      error_x: bars(mark.x, mark.xBounds, color),
      error_y: bars(mark.y, mark.yBounds, color),
    };
  },
  line: (mark: Line, axes, colors) => ({
    type: 'scatter',
    mode: 'lines',
    name: plainText(mark.name),
    x: mark.x,
    y: mark.y,
    customdata: mark.keys,
    text: labels(mark.texts, mark.name, mark.x.length),
    hovertemplate: coordinates(axes),
    line: {
      color: colors(mark.variable),
      width: 1.5,
      shape: mark.isStair ? 'hv' : 'linear',
      dash: mark.dash?.length ? mark.dash.map((length) => `${length}px`).join(',') : 'solid',
    },
  }),
  band: (mark: Band, _axes, colors) => ({
    type: 'scatter',
    mode: 'lines',
    x: [...mark.x, ...mark.x.toReversed()],
    y: [...mark.high, ...mark.low.toReversed()],
    fill: 'toself',
    fillcolor: colors(mark.variable).replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)'),
    line: { width: 0 },
    hoverinfo: 'skip',
    showlegend: false,
  }),
  bars: (mark: Bars, axes, colors) => ({
    type: 'bar',
    name: plainText(mark.name),
    x: mark.x.map((value) => (typeof value === 'string' ? plainText(value) : value)),
    y: mark.y,
    customdata: mark.keys,
    text: labels(mark.texts, mark.name, mark.x.length),
    textposition: 'none',
    hovertemplate: coordinates(axes),
    marker: { color: colors(mark.variable) },
    error_y: bars(mark.y, mark.yBounds, colors('--ink-2')),
  }),
  violin: (mark: Violin, axes, colors) => ({
    ...distribution(mark, axes, colors),
    box: { visible: true },
    meanline: { visible: true },
    spanmode: 'hard',
  }),
  box: (mark: Violin, axes, colors) => distribution(mark, axes, colors),
  heat: (mark: Heat, axes, colors) => ({
    type: 'heatmap',
    name: plainText(mark.name),
    x: mark.x.map((value) => (typeof value === 'string' ? plainText(value) : value)),
    y: mark.y.map((value) => (typeof value === 'string' ? plainText(value) : value)),
    z: mark.values,
    customdata: mark.keys,
    text: mark.values.map((row, at) => labels(mark.texts?.[at], mark.name, row.length)),
    hovertemplate: coordinates(axes).replace('<extra>', `<br>${plainText(mark.name)}: %{z}<extra>`),
    hoverongaps: false,
    colorscale: mark.centre === undefined ? oneHue(colors) : twoHues(colors),
    zmid: mark.centre,
    colorbar: colorBar(mark.name, colors),
  }),
  parallel: (mark: Parallel, _axes, colors) => ({
    type: 'parcoords',
    customdata: mark.keys,
    dimensions: mark.dimensions.map(({ title, values, ticks }) => ({
      label: plainText(title),
      values,
      ...(ticks && {
        tickvals: ticks.map(({ at }) => at),
        ticktext: ticks.map(({ text }) => plainText(text)),
      }),
    })),
    line: {
      color: mark.shades.values,
      colorscale: oneHue(colors),
      showscale: true,
      colorbar: colorBar(mark.shades.title, colors),
    },
    labelfont: { color: colors('--ink'), size: 11 },
    tickfont: { color: colors('--ink-2'), size: 10, shadow: halo(colors) },
    rangefont: { color: colors('--ink-3'), size: 10 },
    unselected: { line: { color: colors('--line'), opacity: 0.4 } },
  }),
};

/** Keeps text legible over lines; the library's own halo is grey on a dark ground. */
const halo = (colors: Colors): string =>
  ['1px 1px', '-1px -1px', '1px -1px', '-1px 1px'].map((at) => `${at} 1px ${colors('--surface')}`).join(', ');

const distribution = (mark: Violin, { y }: PlotAxes, colors: Colors): Values => ({
  type: mark.kind,
  name: plainText(mark.name),
  y: mark.values,
  customdata: mark.keys,
  text: labels(mark.texts, mark.name, mark.values.length),
  hovertemplate: `%{text}<br>${plainText(y.title)}: %{y}<extra></extra>`,
  line: { color: colors(mark.variable), width: 1 },
  points: mark.values.length > MANY ? 'outliers' : 'all',
  boxpoints: mark.values.length > MANY ? 'outliers' : 'all',
  jitter: 0.4,
  pointpos: 0,
  marker: { size: 4, color: colors(mark.variable) },
});

const axisOf = ({ title, log, isCategory, range }: PlotAxis, colors: Colors): Values => ({
  title: { text: plainText(title), font: { size: 11, color: colors('--ink-2') }, standoff: 8 },
  type: log ? 'log' : isCategory ? 'category' : undefined,
  range: range && (log ? range.map(Math.log10) : range),
  gridcolor: colors('--line'),
  zerolinecolor: colors('--line-strong'),
  linecolor: colors('--line-strong'),
  tickfont: { color: colors('--ink-2') },
  automargin: true,
});

export interface FigureOptions {
  /** Drawn above the picture; only files have one. */
  readonly title?: string;
  /** Action of a drag over the plot. */
  readonly drag?: 'zoom' | 'select' | 'lasso';
  /** Keeps zoom and selection of a figure that is drawn again with the same text. */
  readonly revision?: string;
}

/** A figure of these marks in the colours of a theme. */
export function figureOf(
  marks: readonly Mark[],
  axes: PlotAxes,
  colors: Colors,
  { title, drag = 'zoom', revision }: FigureOptions = {},
): Figure {
  const isParallel = marks.some(({ kind }) => kind === 'parallel');
  const names = marks.map((mark) => ('name' in mark ? mark.name : null));
  const named = new Set(names.filter((name) => name !== null));
  return {
    data: marks.map((mark, at) => ({
      ...traces[mark.kind](mark as never, axes, colors),
      // marks of one name, such as a line and its points, are one entry
      ...(names[at] !== null && {
        legendgroup: names[at],
        showlegend: names.indexOf(names[at]) === at,
      }),
    })),
    layout: {
      ...(title && {
        title: { text: `<b>${plainText(title)}</b>`, x: 0, xref: 'paper', font: { size: 13 } },
      }),
      font: { family: 'Inter Variable, Inter, sans-serif', size: 11, color: colors('--ink') },
      paper_bgcolor: colors('--surface'),
      plot_bgcolor: colors('--surface'),
      margin: {
        l: isParallel ? 60 : 48,
        r: isParallel ? 70 : 16,
        t: (title ? 44 : 10) + (isParallel ? 46 : 0),
        b: 40,
      },
      showlegend: !isParallel && named.size > 1,
      legend: { orientation: 'h', x: 0, y: 1, yanchor: 'bottom', font: { size: 11 } },
      hovermode: 'closest',
      hoverlabel: { align: 'left', font: { size: 11 } },
      dragmode: drag,
      uirevision: revision ?? 'same',
      bargap: 0.08,
      xaxis: axisOf(axes.x, colors),
      yaxis: axisOf(axes.y, colors),
    },
    config: {
      displaylogo: false,
      // no chart leaves the machine
      showSendToCloud: false,
      plotlyServerURL: '',
      responsive: false,
      scrollZoom: false,
      modeBarButtonsToRemove: ['toImage', 'autoScale2d', 'zoomIn2d', 'zoomOut2d'],
    },
  };
}

/** The items whose values lie within the ranges that are brushed on each dimension. */
export function brushed(
  dimensions: readonly { readonly values: readonly number[]; readonly constraintrange?: unknown }[],
  keys: readonly string[],
): readonly string[] {
  const ranges = dimensions.map(({ constraintrange }) => rangesOf(constraintrange));
  return keys.filter((_key, item) =>
    dimensions.every(({ values }, at) => {
      const allowed = ranges[at];
      return allowed === null || allowed.some(([low, high]) => values[item] >= low && values[item] <= high);
    }),
  );
}

/** plotly.js gives one range, or several; null: the dimension is not brushed. */
function rangesOf(value: unknown): readonly (readonly [number, number])[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  return (Array.isArray(value[0]) ? value : [value]) as readonly (readonly [number, number])[];
}
