import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Series } from '../../../preload/contract/runs.ts';
import { lineOf, type Line } from '../../charts/series.ts';
import type { Span } from '../../charts/zoom.ts';
import type { RunMark } from '../../lib/run-colors.svelte.ts';
import { Paced } from '../../lib/paced.ts';
import { session } from '../../lib/session.svelte.ts';
import { toasts } from '../../lib/toasts.svelte.ts';
import { covers, pointsFor, WindowSeries, type StepWindow } from '../../lib/window-series.svelte.ts';
import { alongOf, axes, bandOf, lineAlong, type Axis } from './axis.ts';

const usual = ['reward/mean', 'eval/gold', 'kl', 'entropy', 'rewards/accuracies', 'loss'];
/** Charts shown without a choice. */
const SHOWN = 4;

export const suggestedMetrics = (names: readonly string[]): string[] => {
  const known = usual.filter((name) => names.includes(name)).slice(0, SHOWN);
  return known.length > 0 ? known : names.slice(0, SHOWN);
};

/** A group of runs drawn as one line: a run, or runs that differ in their seed. */
export interface DrawnGroup {
  readonly name: string;
  readonly mark: RunMark;
  readonly runIds: readonly string[];
}

/** Request of a view: metrics of runs along an axis, in charts of so many pixels. */
export interface Asked {
  readonly runIds: readonly string[];
  readonly metrics: readonly string[];
  readonly axis: Axis;
  readonly width: number;
}

/**
 * Series of the chosen metrics of all chosen runs, hidden ones included, so that hiding one changes no other; the
 * last request wins. A zoomed part of the steps is read at its own resolution.
 */
export class CurvesState {
  series = $state.raw<readonly Series[]>([]);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  /** The part of the axis that is shown; null: all. */
  span = $state.raw<Span | null>(null);
  /** The steps of that part. */
  private steps = $state.raw<StepWindow | null>(null);
  readonly zoom = new WindowSeries((error) => toasts.error(error));
  private asked: Asked = { runIds: [], metrics: [], axis: 'step', width: 0 };
  private turn = 0;
  private readonly refreshing = new Paced(() => this.refresh());
  private live: readonly string[] = [];

  async show(asked: Asked): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    this.asked = asked;
    this.zoom.clear();
    try {
      const series = await this.read(asked.runIds, 0, null, pointsFor(asked.width, asked.runIds.length));
      if (turn !== this.turn) return;
      [this.series, this.loaded] = [series, true];
      this.look(this.span);
    } catch (error) {
      if (turn !== this.turn) return;
      this.series = [];
      this.error = WhetstoneError.from(error);
    }
  }

  /** Shows a part of the axis; its curves are read if the whole ones leave points out. */
  look(span: Span | null): void {
    this.span = span;
    this.steps = span && stepsOf(span, this.asked.axis, this.series);
    if (span === null) this.zoom.clear();
    else if (this.steps && this.series.some(({ low }) => low !== undefined))
      this.zoom.ask(this.steps, pointsFor(this.asked.width, this.asked.runIds.length), (from, to, points) =>
        this.read(this.asked.runIds, from, to, points),
      );
  }

  /** These runs have new steps. */
  arrived(runIds: readonly string[]): void {
    this.live = runIds;
    this.refreshing.ask();
  }

  stop(): void {
    this.refreshing.stop();
  }

  /** Reads the runs with new steps again. */
  private async refresh(): Promise<void> {
    const { turn, live } = this;
    const own = live.filter((id) => this.asked.runIds.includes(id));
    if (!this.loaded || own.length === 0) return;
    try {
      const fresh = await this.read(own, 0, null, pointsFor(this.asked.width, this.asked.runIds.length));
      if (turn !== this.turn) return;
      this.series = [...this.series.filter(({ runId }) => !own.includes(runId)), ...fresh];
      this.look(this.span);
    } catch (error) {
      toasts.error(error);
    }
  }

  /** One request for each metric, so that the first is not late where there are many. */
  private async read(
    runIds: readonly string[],
    from: number,
    to: number | null,
    points: number,
  ): Promise<readonly Series[]> {
    const { metrics, axis } = this.asked;
    const needed = axes[axis].needs.filter((name) => !metrics.includes(name));
    const names = [...metrics, ...needed].slice(0, 64);
    if (runIds.length === 0 || metrics.length === 0) return [];
    const found = await Promise.all(
      names.map((name) =>
        session.client.runs.metrics({ runIds: [...runIds], names: [name], from, to, points }),
      ),
    );
    return found.flat();
  }

  /** Lines of the shown part at its own resolution; null where the whole lines serve. */
  detailOf(
    metric: string,
    groups: readonly DrawnGroup[],
    axis: Axis,
    folded: boolean,
  ): readonly Line[] | null {
    const { detail } = this.zoom;
    if (!covers(detail, this.steps)) return null;
    return linesOf(detail.series, metric, groups, { axis, folded, whole: this.series });
  }

  /** Lines of one metric, one per group; a run without the metric or the axis has none. */
  linesOf(metric: string, groups: readonly DrawnGroup[], axis: Axis, folded: boolean): readonly Line[] {
    return linesOf(this.series, metric, groups, { axis, folded, whole: this.series });
  }

  /** Runs without what the axis needs. */
  without(axis: Axis, runIds: readonly string[]): string[] {
    if (axis === 'step' || !this.loaded) return [];
    return runIds.filter(
      (id) =>
        alongOf(
          axis,
          this.series.filter(({ runId }) => runId === id),
        ) === null,
    );
  }
}

/** First and last step at which any run's x lies in a part of the axis; null without one. */
function stepsOf([from, to]: Span, axis: Axis, series: readonly Series[]): StepWindow | null {
  if (axis === 'step') return [from, to];
  let [first, last] = [Infinity, -Infinity];
  for (const own of Map.groupBy(series, ({ runId }) => runId).values()) {
    const { steps, at } = alongOf(axis, own) ?? nowhere;
    const inside = [...at.keys()].filter((i) => at[i] >= from && at[i] <= to);
    if (inside.length === 0) continue;
    // the points next to the part may lie in it at a finer resolution
    first = Math.min(first, steps[Math.max(0, inside[0] - 1)]);
    last = Math.max(last, steps[Math.min(steps.length - 1, inside[inside.length - 1] + 1)]);
  }
  return first < last ? [first, last] : null;
}
const nowhere = { steps: new Float64Array(), at: new Float64Array() };

function linesOf(
  series: readonly Series[],
  metric: string,
  groups: readonly DrawnGroup[],
  { axis, folded, whole }: { axis: Axis; folded: boolean; whole: readonly Series[] },
): readonly Line[] {
  const byRun = Map.groupBy(series, ({ runId }) => runId);
  // time and tokens count from the beginning of a run
  const wholeByRun = axis === 'kl' ? byRun : Map.groupBy(whole, ({ runId }) => runId);
  return groups.flatMap(({ name, mark, runIds }) => {
    const lines = runIds.flatMap((id) => {
      const own = byRun.get(id) ?? [];
      const found = own.find((each) => each.name === metric && each.steps.length > 0);
      if (!found) return [];
      const line = lineOf(found, name, mark);
      if (axis === 'step') return [line];
      const along = alongOf(axis, wholeByRun.get(id) ?? own);
      const moved = along && lineAlong(line, along);
      return moved && moved.steps.length > 0 ? [moved] : [];
    });
    if (lines.length === 0) return [];
    return folded ? [bandOf(lines, name)] : lines;
  });
}
