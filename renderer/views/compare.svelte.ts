import { WhetstoneError } from '../../engine/common/errors.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { Sample, Series } from '../../preload/contract/runs.ts';
import { lineOf } from '../charts/series.ts';
import type { Difference } from '../../preload/wire/differences.ts';
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
  readonly prompts: CompareState['prompts'];
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
  metric = $state('');
  series = $state.raw<readonly Series[]>([]);
  prompts = $state.raw<readonly { promptId: string; prompt: string }[]>([]);
  prompt = $state<string | null>(null);
  samples = $state.raw<readonly Sample[]>([]);
  busy = $state(false);
  /** Whether all responses for the chosen runs have arrived. */
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  private marks = $derived(session.colors.among(this.ids));
  runs = $derived<readonly Shown[]>(
    this.ids.map((id) => ({ id, name: session.runName(id), mark: this.markOf(id) })),
  );
  /** Series of the chosen metric; the previous metric's until they arrive. */
  lines = $derived(
    this.series
      .filter(({ steps, name }) => steps.length > 0 && name === this.metric)
      .map((each) => lineOf(each, session.runName(each.runId), this.markOf(each.runId))),
  );
  frontier = $derived(
    this.runs
      .map((run) => ({ ...run, points: this.evaluations[run.id] ?? [] }))
      .filter(({ points }) => points.length > 0),
  );
  private turn = 0;
  /** The runs last requested; not reactive state, since the request must not depend on it. */
  private requested = '';

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
      await Promise.all([this.loadSeries(), this.loadSamples()]);
      if (turn === this.turn) this.loaded = true;
    } catch (error) {
      if (turn !== this.turn) return;
      this.clear();
      this.error = WhetstoneError.from(error);
    }
  }

  /** Clears the results of previously chosen runs. */
  private clear(): void {
    this.loaded = false;
    [this.rows, this.differences, this.series, this.samples, this.prompts] = [[], [], [], [], []];
    this.evaluations = {};
    this.metricNames = [];
  }

  private async find(runIds: string[]): Promise<Found> {
    const { compare, runs } = session.client;
    const [overview, names, prompts, results] = await Promise.all([
      compare.overview({ runIds }),
      runs.metricNames({ runIds }),
      runs.commonPrompts({ runIds: runIds.slice(0, 16) }),
      Promise.all(runIds.map(async (id) => [id, await runs.results({ id })] as const)),
    ]);
    const evaluationsOf = (all: (typeof results)[number][1]) =>
      newestPerStep(all.filter(({ kind }) => kind === 'evaluation')).map(
        ({ value }) => value as PolicyEvaluation,
      );
    return {
      overview,
      names,
      prompts,
      evaluations: Object.fromEntries(results.map(([id, all]) => [id, evaluationsOf(all)])),
    };
  }

  private take({ overview, names, prompts, evaluations }: Found): void {
    [this.rows, this.differences] = [overview.rows, overview.differences];
    [this.evaluations, this.metricNames, this.prompts] = [evaluations, names, prompts];
    const usual = ['reward/mean', 'eval/gold', 'rewards/accuracies', 'loss'];
    if (!names.includes(this.metric))
      this.metric = usual.find((name) => names.includes(name)) ?? names[0] ?? '';
    if (!prompts.some(({ promptId }) => promptId === this.prompt)) this.prompt = prompts[0]?.promptId ?? null;
  }

  chooseMetric(name: string): void {
    this.metric = name;
    this.series = [];
    void session.attempt(() => this.loadSeries());
  }

  choosePrompt(promptId: string): void {
    this.prompt = promptId;
    this.samples = [];
    void session.attempt(() => this.loadSamples());
  }

  private async loadSeries(): Promise<void> {
    const { metric } = this;
    const series = metric
      ? await session.client.runs.metrics({ runIds: [...this.ids], names: [metric] })
      : [];
    if (metric === this.metric) this.series = series;
  }

  private async loadSamples(): Promise<void> {
    const { prompt } = this;
    const samples = prompt
      ? (
          await session.client.runs.samples({
            runIds: this.ids.slice(0, 16),
            purpose: 'evaluation',
            promptId: prompt,
            limit: 500,
          })
        ).samples
      : [];
    if (prompt === this.prompt) this.samples = samples;
  }

  /**
   * Writes one HTML file about these runs: saved where the user chooses (desktop), or downloaded (browser).
   */
  async report(choose: boolean): Promise<void> {
    this.busy = true;
    await session.attempt(async () => {
      const path = choose
        ? await session.client.system.choosePath({ kind: 'save', title: 'Save the report' })
        : null;
      if (choose && path === null) return;
      const { html, path: saved } = await session.client.compare.report({
        runIds: [...this.ids],
        title: this.runs
          .map(({ name }) => name)
          .join(', ')
          .slice(0, 200),
        path,
      });
      if (!choose) saveFile('comparison.html', new Blob([html], { type: 'text/html' }));
      toasts.info(`Report written to ${saved}.`);
    });
    this.busy = false;
  }
}
