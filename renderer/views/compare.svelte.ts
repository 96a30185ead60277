import { WhetstoneError } from '../../engine/common/errors.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { Difference } from '../../preload/wire/differences.ts';
import { comparedNames } from '../../preload/wire/metric-names.ts';
import { saveFile } from '../lib/download.ts';
import { newestPerStep } from '../lib/attempts.ts';
import type { RunMark } from '../lib/run-colors.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type Overview = Awaited<ReturnType<typeof session.client.compare.overview>>;
/** The responses for one set of chosen runs. */
interface Found {
  readonly overview: Overview;
  readonly names: readonly string[];
  readonly evaluations: CompareState['evaluations'];
}
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly mark: RunMark;
}

/** State of comparing two or more runs. */
export class CompareState {
  ids = $state.raw<readonly string[]>([]);
  rows = $state.raw<Overview['rows']>([]);
  differences = $state.raw<readonly Difference[]>([]);
  evaluations = $state.raw<Readonly<Record<string, readonly PolicyEvaluation[]>>>({});
  metricNames = $state.raw<readonly string[]>([]);
  busy = $state(false);
  /** True if all responses for the chosen runs have arrived. */
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  private marks = $derived(session.colors.among(this.ids));
  runs = $derived<readonly Shown[]>(
    this.ids.map((id) => ({ id, name: session.runName(id), mark: this.markOf(id) })),
  );
  frontier = $derived(
    this.runs
      .map((run) => ({ ...run, points: this.evaluations[run.id] ?? [] }))
      .filter(({ points }) => points.length > 0),
  );
  private turn = 0;
  /** The runs last requested; not reactive state, since the request must not depend on it. */
  private requested = '';

  /** True if some of the runs differ in their seed alone. */
  canFold = $derived(
    this.rows.some(({ group }, at) => this.rows.findIndex((each) => each.group === group) < at),
  );

  /** The mark of a run among the chosen ones. */
  markOf = (id: string): RunMark => this.marks[id] ?? session.colors.of(id);

  async show(ids: readonly string[]): Promise<void> {
    const turn = ++this.turn;
    const key = ids.join();
    const isOther = key !== this.requested;
    this.requested = key;
    this.ids = ids;
    this.error = null;
    if (isOther) this.clear();
    if (ids.length === 0) return;
    try {
      const found = await this.find([...ids]);
      if (turn !== this.turn) return;
      this.take(found);
      this.loaded = true;
    } catch (error) {
      if (turn !== this.turn) return;
      this.clear();
      this.error = WhetstoneError.from(error);
    }
  }

  /** Clears the results of previously chosen runs. */
  private clear(): void {
    this.loaded = false;
    [this.rows, this.differences] = [[], []];
    this.evaluations = {};
    this.metricNames = [];
  }

  private async find(runIds: string[]): Promise<Found> {
    const { compare, runs } = session.client;
    const [overview, names, results] = await Promise.all([
      compare.overview({ runIds }),
      runs.metricNames({ runIds }),
      Promise.all(runIds.map(async (id) => [id, await runs.results({ id })] as const)),
    ]);
    const evaluationsOf = (all: (typeof results)[number][1]) =>
      newestPerStep(all.filter(({ kind }) => kind === 'evaluation')).map(
        ({ value }) => value as PolicyEvaluation,
      );
    return {
      overview,
      names,
      evaluations: Object.fromEntries(results.map(([id, all]) => [id, evaluationsOf(all)])),
    };
  }

  private take({ overview, names, evaluations }: Found): void {
    [this.rows, this.differences] = [overview.rows, overview.differences];
    [this.evaluations, this.metricNames] = [evaluations, comparedNames(names)];
  }

  /** The runs as they are drawn: one by one, or those that differ in their seed alone as one. */
  groups(folded: boolean, names: ReadonlyMap<string, string>) {
    const keyOf = (id: string) => this.rows.find(({ runId }) => runId === id)?.group ?? id;
    const grouped = Map.groupBy(this.ids, (id) => (folded ? keyOf(id) : id));
    return [...grouped.values()].map((runIds) => ({
      name: names.get(runIds[0]) ?? session.runName(runIds[0]),
      mark: this.markOf(runIds[0]),
      runIds,
    }));
  }

  /**
   * Writes one HTML file about these runs: saved where the user chooses (desktop), or downloaded (browser).
   */
  async report(choose: boolean, baseline: string | null, folded: boolean): Promise<void> {
    this.busy = true;
    const names = this.runs.map(({ name }) => name);
    await session.attempt(async () => {
      const path = choose
        ? await session.client.system.choosePath({ kind: 'save', title: 'Save the report' })
        : null;
      if (choose && path === null) return;
      const { html, path: saved } = await session.client.compare.report({
        runIds: [...this.ids],
        title: names.join(', ').slice(0, 200),
        path,
        baseline,
        folded,
      });
      if (!choose) saveFile('comparison.html', new Blob([html], { type: 'text/html' }));
      toasts.info(`Report written to ${saved}.`);
    });
    this.busy = false;
  }
}
