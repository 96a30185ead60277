import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Series } from '../../../preload/contract/runs.ts';
import { lineOf, type Line } from '../../charts/series.ts';
import type { RunMark } from '../../lib/run-colors.svelte.ts';
import { session } from '../../lib/session.svelte.ts';
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

/** Series of the chosen metrics of all chosen runs, hidden ones included; the last request wins. */
export class CurvesState {
  series = $state.raw<readonly Series[]>([]);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  private turn = 0;

  async show(runIds: readonly string[], metrics: readonly string[], axis: Axis): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    const names = [...metrics, ...axes[axis].needs.filter((name) => !metrics.includes(name))];
    if (runIds.length === 0 || metrics.length === 0) {
      [this.series, this.loaded] = [[], true];
      return;
    }
    try {
      const series = await session.client.runs.metrics({ runIds: [...runIds], names: names.slice(0, 64) });
      if (turn === this.turn) [this.series, this.loaded] = [series, true];
    } catch (error) {
      if (turn !== this.turn) return;
      this.series = [];
      this.error = WhetstoneError.from(error);
    }
  }

  /** Lines of one metric, one per group; a run without the metric or the axis has none. */
  linesOf(metric: string, groups: readonly DrawnGroup[], axis: Axis, folded: boolean): readonly Line[] {
    return groups.flatMap(({ name, mark, runIds }) => {
      const lines = runIds.flatMap((id) => {
        const own = this.series.filter(({ runId }) => runId === id);
        const found = own.find((each) => each.name === metric && each.steps.length > 0);
        if (!found) return [];
        const line = lineOf(found, name, mark);
        if (axis === 'step') return [line];
        const along = alongOf(axis, own);
        const moved = along && lineAlong(line, along);
        return moved && moved.steps.length > 0 ? [moved] : [];
      });
      if (lines.length === 0) return [];
      return folded ? [bandOf(lines, name)] : lines;
    });
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
