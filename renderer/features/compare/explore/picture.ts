import type { Mark, PlotAxes, PlotAxis, Points } from '../../../charts/plot/marks.ts';
import type { RunMark } from '../../../lib/run-colors.svelte.ts';
import { isLog, isNumeric, paretoFront, type ExploreColumn } from './columns.ts';

export interface ExploredRun {
  readonly id: string;
  readonly name: string;
  readonly mark: RunMark;
}
/** Kind of picture: a scatter of two columns, a distribution by value, or a mean over two parameters. */
export interface ExplorePicture {
  readonly marks: readonly Mark[];
  readonly head: readonly string[];
  /** One row per run that is drawn, with its id. */
  readonly rows: readonly { readonly id: string; readonly cells: readonly string[] }[];
  readonly title: string;
  readonly axes: PlotAxes;
  /** Explains what is drawn, and names what is not. */
  readonly note: string;
}
interface Axes {
  readonly x: ExploreColumn;
  readonly y: ExploreColumn;
  readonly colour: ExploreColumn | null;
}

const text = (value: number | string | null, interval?: readonly [number, number] | null): string => {
  if (value === null) return '–';
  const own = typeof value === 'number' ? String(Number(value.toPrecision(4))) : value;
  return interval
    ? `${own} [${Number(interval[0].toPrecision(3))}, ${Number(interval[1].toPrecision(3))}]`
    : own;
};

const missing = (left: number, n: number): string =>
  left === 0 ? '' : `${left} of ${n} runs lack one of them and are not drawn.`;

/** The picture of two columns, with a third as colour. */
export function pictureOf(runs: readonly ExploredRun[], axes: Axes): ExplorePicture {
  const { x, y, colour } = axes;
  const drawn = runs
    .map((run, at) => ({ run, at }))
    .filter(({ at }) => x.values[at] !== null && y.values[at] !== null);
  const columns = [x, y, ...(colour && colour !== x && colour !== y ? [colour] : [])];
  const axisOf = (column: ExploreColumn): PlotAxis => ({
    title: column.title,
    isCategory: !isNumeric(column),
    log: isLog(column),
  });
  const frame = {
    title: `${y.title} over ${x.title}`,
    axes: { x: axisOf(x), y: axisOf(y) },
    head: ['run', ...columns.map(({ title }) => title)],
    rows: drawn.map(({ run, at }) => ({
      id: run.id,
      cells: [run.name, ...columns.map(({ values, intervals }) => text(values[at], intervals[at]))],
    })),
  };
  const left = missing(runs.length - drawn.length, runs.length);
  if (drawn.length === 0) return { ...frame, marks: [], note: left };
  const places = drawn.map(({ at }) => at);
  if (x.kind === 'parameter' && y.kind === 'parameter' && colour && isNumeric(colour))
    return { ...frame, ...meansOver(runs, places, { x, y, colour }) };
  if (!isNumeric(x) && isNumeric(y)) return { ...frame, ...byValue(runs, places, { x, y }, left) };
  return { ...frame, ...scatter(runs, places, axes, left) };
}

type Drawing = Pick<ExplorePicture, 'marks' | 'note'> & Partial<Pick<ExplorePicture, 'title' | 'axes'>>;

/** Mean of the colour's column in each cell of two parameters. */
function meansOver(
  runs: readonly ExploredRun[],
  places: readonly number[],
  { x, y, colour }: { x: ExploreColumn; y: ExploreColumn; colour: ExploreColumn },
): Drawing {
  const usable = places.filter((at) => typeof colour.values[at] === 'number');
  const distinct = ({ values }: ExploreColumn) =>
    [...new Set(usable.map((at) => values[at]))]
      .filter((value) => value !== null)
      .sort((a, b) =>
        typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)),
      );
  const [xs, ys] = [distinct(x), distinct(y)];
  const cells = ys.map((b) => xs.map((a) => usable.filter((at) => x.values[at] === a && y.values[at] === b)));
  const mean = (all: readonly number[]) =>
    all.length === 0 ? null : all.reduce((sum, at) => sum + Number(colour.values[at]), 0) / all.length;
  return {
    title: `${colour.title} over ${x.title} and ${y.title}`,
    axes: { x: { title: x.title, isCategory: true }, y: { title: y.title, isCategory: true } },
    marks: [
      {
        kind: 'heat',
        name: colour.title,
        x: xs.map(String),
        y: ys.map(String),
        values: cells.map((row) => row.map(mean)),
        keys: cells.map((row) => row.map((all) => all.map((at) => runs[at].id).join())),
        texts: cells.map((row) =>
          row.map((all) => `n = ${all.length}: ${all.map((at) => runs[at].name).join(', ')}`),
        ),
      },
    ],
    note: `Mean ${colour.title} of the runs in each cell. ${missing(runs.length - usable.length, runs.length)}`,
  };
}

/** The distribution of a result for each value of a column of texts. */
function byValue(
  runs: readonly ExploredRun[],
  places: readonly number[],
  { x, y }: { x: ExploreColumn; y: ExploreColumn },
  left: string,
): Drawing {
  const groups = Map.groupBy(places, (at) => String(x.values[at]));
  return {
    marks: [...groups].map(([value, all], index) => ({
      kind: 'box' as const,
      name: value,
      variable: `--run-${index % 7}`,
      values: all.map((at) => Number(y.values[at])),
      keys: all.map((at) => runs[at].id),
      texts: all.map((at) => runs[at].name),
    })),
    note: `Median, quartiles and each run, by ${x.title}. ${left}`,
  };
}

/** One point per run with its intervals; two results have the line of those that no other run beats. */
function scatter(
  runs: readonly ExploredRun[],
  places: readonly number[],
  { x, y, colour }: Axes,
  left: string,
): Drawing {
  const shades =
    colour && isNumeric(colour) && places.every((at) => colour.values[at] !== null) ? colour : null;
  const points = (own: readonly number[], name: string, variable: string): Points => ({
    kind: 'points',
    name,
    variable,
    x: own.map((at) => x.values[at] ?? ''),
    y: own.map((at) => y.values[at] ?? ''),
    xBounds: own.map((at) => x.intervals[at]),
    yBounds: own.map((at) => y.intervals[at]),
    keys: own.map((at) => runs[at].id),
    texts: own.map((at) => runs[at].name),
    ...(shades && {
      shades: { title: shades.title, values: own.map((at) => Number(shades.values[at])) },
    }),
  });
  const marks: Mark[] = shades
    ? [points(places, 'runs', '--run-0')]
    : places.map((at) => points([at], runs[at].name, runs[at].mark.variable));
  const isPareto = x.kind === 'result' && y.kind === 'result' && x !== y && isNumeric(x) && isNumeric(y);
  if (!isPareto) return { marks, note: left };
  const all = places.map((at) => ({ x: Number(x.values[at]), y: Number(y.values[at]) }));
  const front = paretoFront(all, { isLowX: x.isLowBetter, isLowY: y.isLowBetter });
  const line: Mark = {
    kind: 'line',
    name: 'Pareto front',
    variable: '--ink-3',
    dash: [4, 3],
    isStair: true,
    x: front.map((at) => all[at].x),
    y: front.map((at) => all[at].y),
    texts: front.map((at) => runs[places[at]].name),
  };
  const better = (column: ExploreColumn) => `${column.isLowBetter ? 'low' : 'high'} ${column.title}`;
  return {
    marks: [line, ...marks],
    note: `${front.length} of ${places.length} runs are on the Pareto front (${better(x)}, ${better(y)}). ${left}`,
  };
}
