import type { Series } from '../../../preload/contract/runs.ts';
import { lineOf, type Line } from '../../charts/series.ts';
import type { Span } from '../../charts/zoom.ts';
import type { RunMark } from '../../lib/run-colors.svelte.ts';
import type { StepWindow } from '../../lib/window-series.svelte.ts';
import { alongOf, bandOf, lineAlong, type Axis } from './axis.ts';

/** A group of runs drawn as one line: a run, or runs that differ in their seed. */
export interface DrawnGroup {
  readonly name: string;
  readonly mark: RunMark;
  readonly runIds: readonly string[];
}

/**
 * First and last step between which any run's x lies in a part of the axis; null without one. Runs of other pace
 * share the window.
 */
export function stepsOf([from, to]: Span, axis: Axis, series: readonly Series[]): StepWindow | null {
  if (axis === 'step') return [from, to];
  let [first, last] = [Infinity, -Infinity];
  for (const along of alongs(series, axis).values()) {
    const { steps, at } = along ?? nowhere;
    for (let i = 1; i < steps.length; i += 1) {
      // the part may lie between two points
      if (Math.max(at[i - 1], at[i]) < from || Math.min(at[i - 1], at[i]) > to) continue;
      first = Math.min(first, steps[i - 1]);
      last = Math.max(last, steps[i]);
    }
  }
  return first < last ? [first, last] : null;
}
const nowhere = { steps: new Float64Array(), at: new Float64Array() };

type Known = ReturnType<typeof alongOf>;
const known = new WeakMap<readonly Series[], Map<Axis, ReadonlyMap<string, Known>>>();
/** The x of the steps of each run, calculated once for a set of series. */
export function alongs(series: readonly Series[], axis: Exclude<Axis, 'step'>): ReadonlyMap<string, Known> {
  const byAxis = known.get(series) ?? new Map<Axis, ReadonlyMap<string, Known>>();
  known.set(series, byAxis);
  const found =
    byAxis.get(axis) ??
    new Map([...Map.groupBy(series, ({ runId }) => runId)].map(([id, own]) => [id, alongOf(axis, own)]));
  byAxis.set(axis, found);
  return found;
}

function drawn(
  series: readonly Series[],
  metric: string,
  groups: readonly DrawnGroup[],
  { axis, folded, whole }: { axis: Axis; folded: boolean; whole: readonly Series[] },
): readonly Line[] {
  const byRun = Map.groupBy(series, ({ runId }) => runId);
  // time and tokens count from the beginning of a run
  const x = axis === 'step' ? null : alongs(axis === 'kl' ? series : whole, axis);
  return groups.flatMap(({ name, mark, runIds }) => {
    const lines = runIds.flatMap((id) => {
      const own = byRun.get(id) ?? [];
      const found = own.find((each) => each.name === metric && each.steps.length > 0);
      if (!found) return [];
      const line = lineOf(found, found.role === undefined ? name : `${name} (${found.role})`, mark);
      if (!x) return [line];
      const along = x.get(id);
      const moved = along && lineAlong(line, along);
      return moved && moved.steps.length > 0 ? [moved] : [];
    });
    if (lines.length === 0) return [];
    // runs that differ in their seed have the same roles
    return folded ? [bandOf(lines, lines[0].label)] : lines;
  });
}

/** Lines of the series that were drawn last: a moved chart asks for the same ones again. */
const latest = new WeakMap<readonly Series[], Map<string, Drawn>>();
interface Drawn {
  readonly groups: readonly DrawnGroup[];
  readonly whole: readonly Series[];
  readonly lines: readonly Line[];
}
/** Lines of one metric, one per group; a run without the metric or the axis has none. `whole`: all of the steps. */
export function linesOf(
  series: readonly Series[],
  metric: string,
  groups: readonly DrawnGroup[],
  look: { readonly axis: Axis; readonly folded: boolean; readonly whole: readonly Series[] },
): readonly Line[] {
  const byLook = latest.get(series) ?? new Map<string, Drawn>();
  latest.set(series, byLook);
  const key = JSON.stringify([metric, look.axis, look.folded]);
  const before = byLook.get(key);
  if (before?.groups === groups && before.whole === look.whole) return before.lines;
  const lines = drawn(series, metric, groups, look);
  byLook.set(key, { groups, whole: look.whole, lines });
  return lines;
}
