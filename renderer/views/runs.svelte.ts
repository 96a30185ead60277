import { untrack } from 'svelte';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { PreflightOutcome } from '../../engine/schema/preflight.ts';
import type { SearchCurve } from '../../engine/schema/search.ts';
import { lineOf } from '../charts/series.ts';
import type { Line } from '../charts/series.ts';
import { FindingsState } from '../features/run-doctor/findings.svelte.ts';
import { failingScorers } from '../features/runs/faults.ts';
import { loadStock } from '../features/runs/form/stock.ts';
import { RescoreState } from '../features/runs/rescore.svelte.ts';
import { SampleBrowser } from '../features/runs/browse/browser.svelte.ts';
import { GalleryState } from '../features/gallery/gallery.svelte.ts';
import { RedTeamState } from '../features/red-team/red-team.svelte.ts';
import { LogState } from '../features/runs/log/log.svelte.ts';
import { SeriesReader } from '../features/runs/series-reader.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Checkpoint, Run, RunDifference, Series } from '../../preload/contract/runs.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import { evolvingRun, type Evolving } from '../lib/evolve.ts';
import { Paced } from '../lib/paced.ts';
import { ReferenceNames } from '../lib/reference-names.svelte.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

type RunResult = Awaited<ReturnType<typeof session.client.runs.results>>[number];

/** The catalogue of a connection, which is fetched once. */
const catalogues = new WeakMap<WhetstoneClient, ReturnType<WhetstoneClient['runs']['catalogue']>>();
const catalogueOf = (client: WhetstoneClient): ReturnType<WhetstoneClient['runs']['catalogue']> => {
  const found = catalogues.get(client) ?? client.runs.catalogue({});
  catalogues.set(client, found);
  found.catch(() => catalogues.delete(client));
  return found;
};

/** Texts of a person about a run. */
type RunEdit = Partial<Pick<Run, 'name' | 'notes' | 'tags' | 'question' | 'conclusion'>>;

/** State of one run on the screen: live curves and samples, checkpoints, results. */
export class RunState {
  readonly samples: SampleBrowser;
  readonly findings: FindingsState;
  readonly log: LogState;
  readonly redTeam: RedTeamState;
  readonly gallery = new GalleryState(session.client);
  /** True if curves, checkpoints and results have loaded. */
  loaded = $state(false);
  series = $state.raw<readonly Series[]>([]);
  checkpoints = $state.raw<readonly Checkpoint[]>([]);
  results = $state.raw<readonly RunResult[]>([]);
  /** To the checkpoint that the run began from; undefined until known, null without an evaluation of both. */
  difference = $state.raw<RunDifference | null | undefined>(undefined);
  /** What the run's method produces; null until known. */
  produces = $state<string | null>(null);
  /** The kind of task that it learns from; null until known. */
  learnsFrom = $state<string | null>(null);
  /** The newest checkpoint of a policy on text, which can be probed; null without one. */
  policy = $derived.by(() => {
    const isText = this.produces === 'policy' && session.runs.get(this.id)?.spec?.task.kind !== 'control';
    return (isText && this.checkpoints.find(({ head }) => head === 'next-token')?.id) || null;
  });
  /** True if a role of the method writes verdicts on lines. */
  judges = $state(false);
  rescoring = $state.raw<RescoreState | null>(null);
  /** Number of stored training answers; null until counted. */
  trained = $state<number | null>(null);
  private readonly names = new ReferenceNames();
  /** True once names were read, or could not be. */
  private namesRead = $state(false);
  curves = $derived.by<readonly { name: string; lines: readonly Line[] }[]>(() => {
    const name = session.runName(this.id);
    const mark = session.colors.of(this.id);
    return this.series
      .filter(({ steps }) => steps.length > 0)
      .map((each) => ({ name: each.name, lines: [lineOf(each, name, mark)] }));
  });
  /** The estimate from before the run. */
  preflight = $derived(
    (this.results.findLast(({ kind }) => kind === 'preflight')?.value as PreflightOutcome | undefined) ??
      null,
  );
  /** The newest curve of a search. */
  searched = $derived(
    (this.results.findLast(({ kind }) => kind === 'search')?.value as SearchCurve | undefined) ?? null,
  );
  /** Scorers that failed on answers of the newest batch. */
  failing = $derived(failingScorers(this.series));
  /** Number of rows left out because they exceed the context. */
  leftOut = $derived(this.series.find(({ name }) => name === 'data/too_long')?.values.at(-1) ?? 0);
  readonly nameOf = {
    checkpoint: (id: string) => this.names.checkpoint(id),
    dataset: (id: string) => this.names.of(id),
    labelSet: (id: string) => this.names.of(id),
  };
  /** The run whose checkpoint the policy began from; null without one, undefined until names were read. */
  startRunId = $derived.by<string | null | undefined>(() => {
    const policy = session.runs.get(this.id)?.spec?.models.policy;
    if (policy?.kind !== 'checkpoint') return null;
    return this.namesRead ? this.names.checkpoint(policy.checkpointId).runId : undefined;
  });
  /** Where the newest policy of an ended run evolves; null until known, and for a run that writes no text. */
  evolving = $derived.by<Evolving | null>(() => {
    const run = session.runs.get(this.id);
    const isPolicy = run?.spec && run.spec.task.kind !== 'control' && this.produces === 'policy';
    if (!isPolicy || isLive(run) || !this.loaded || !this.namesRead) return null;
    const { checkpoints, datasets } = this.names.known;
    // its own are read more often
    const others = checkpoints.filter(({ runId }) => runId !== run.id);
    return evolvingRun(run.id, {
      checkpoints: [...this.checkpoints, ...others],
      datasets,
      specOfRun: (runId) => session.runs.get(runId)?.spec,
    });
  });
  private readonly id: string;
  private readonly reader: SeriesReader;
  private readonly refreshing = new Paced(() => this.refresh());
  private state = '';
  /** The outcome that `difference` is of. */
  private compared = '';

  constructor(id: string) {
    this.id = id;
    this.reader = new SeriesReader(id, session.client.runs);
    const report = (error: unknown): void => toasts.error(error);
    this.samples = new SampleBrowser(id, session.client.samples, {
      error: report,
      keep: (address) => router.replace(['runs', id, 'samples'], address),
    });
    this.log = new LogState(id, session.client);
    this.redTeam = new RedTeamState(id, session.client);
    this.findings = new FindingsState(id, session.client, report);
  }

  /** Keeps the view up to date until the returned function is called. */
  follow(): () => void {
    void this.loadNames();
    const leave = this.findings.follow((open) =>
      session.connection.follow(open, (error) => toasts.error(error)),
    );
    this.refreshing.ask(true);
    const release = session.connection.follow(
      (end) =>
        session.client.runs.live(
          { runId: this.id },
          ({ run, newSamples }) => {
            session.merge([run]);
            this.samples.arrived(newSamples);
            if (router.route.path[2] === 'red-team') this.redTeam.ask();
            const isOther = run.state !== this.state;
            this.state = run.state;
            this.refreshing.ask(isOther);
          },
          end,
        ),
      (error) => toasts.error(error),
    );
    return () => {
      leave();
      release();
      this.refreshing.stop();
      this.redTeam.stop();
    };
  }

  private async refresh(): Promise<void> {
    const { runs } = session.client;
    // untracked, so that the effect that calls this does not depend on the run
    const now = untrack(() => session.runs.get(this.id)) ?? { attempt: 0, step: 0 };
    await session.attempt(async () => {
      const [series, checkpoints, results] = await Promise.all([
        this.reader.read(now),
        runs.checkpoints({ runId: this.id }),
        runs.results({ id: this.id }),
      ]);
      this.series = series;
      this.checkpoints = [...checkpoints].sort((a, b) => b.createdAt - a.createdAt);
      this.results = results;
      this.loaded = true;
    });
    void this.log.read();
    void session.attempt(() => this.readDifference());
  }

  /** All curves in a part of the steps, with at most so many points each. */
  readWindow = (from: number, to: number, points: number): Promise<readonly Series[]> =>
    this.reader.window(from, to, points);

  private async readDifference(): Promise<void> {
    const outcome = JSON.stringify(untrack(() => session.runs.get(this.id)?.outcome) ?? null);
    if (outcome === this.compared) return;
    const before = this.compared;
    this.compared = outcome;
    try {
      this.difference = await session.client.runs.difference({ id: this.id });
    } catch (error) {
      this.compared = before;
      throw error;
    }
  }

  private async loadNames(): Promise<void> {
    const { client } = session;
    await session.attempt(async () => {
      const [catalogue] = await Promise.all([catalogueOf(client), this.names.load(client)]);
      const method = session.runs.get(this.id)?.method;
      const found = catalogue.methods.find((each) => each.id === method);
      this.produces = found?.produces ?? 'policy';
      this.learnsFrom = found?.task ?? null;
      this.judges = found?.roles.some(({ judges }) => judges) ?? false;
    });
    this.namesRead = true;
  }

  /**
   * Counts the answers that can be scored again and loads the form's data; the form keeps its state while the
   * run is in view.
   */
  openRescore(): void {
    // untracked, so that changes of the run do not repeat it
    untrack(() => void this.readRescore());
  }

  private async readRescore(): Promise<void> {
    const { client } = session;
    const spec = session.runs.get(this.id)?.spec;
    this.trained =
      (await session.attempt(() => client.runs.samples({ runIds: [this.id], purpose: 'train', limit: 1 })))
        ?.total ?? null;
    if (!spec || this.rescoring) return;
    const stock = await session.attempt(() => loadStock(client));
    if (stock)
      this.rescoring ??= new RescoreState(
        this.id,
        spec,
        stock,
        { rescore: client.rewards.rescore, check: client.runs.check },
        () => this.samples.again(),
      );
  }

  stop = (): Promise<unknown> => session.attempt(() => session.client.runs.stop({ id: this.id }));
  resume = (): Promise<unknown> => session.attempt(() => session.client.runs.resume({ id: this.id }));

  /** Reads what a tab needs when it is shown. */
  shown(tab: string): void {
    if (tab === 'rescore') this.openRescore();
    if (tab === 'red-team') this.redTeam.ask();
  }

  async edit(change: RunEdit): Promise<void> {
    const run = await session.attempt(() => session.client.runs.edit({ id: this.id, ...change }));
    if (run) session.merge([run]);
  }

  async removeCheckpoint(checkpoint: Checkpoint): Promise<void> {
    if (await session.attempt(() => session.client.runs.removeCheckpoint({ id: checkpoint.id })))
      this.checkpoints = this.checkpoints.filter(({ id }) => id !== checkpoint.id);
  }
}

/** Adds a run to the list if the workspace has it; returns whether it does. */
export async function findRun(id: string): Promise<boolean> {
  try {
    session.merge([await session.client.runs.get({ id })]);
    return true;
  } catch (error) {
    const found = WhetstoneError.from(error);
    if (found.kind !== 'not-found') toasts.error(found);
    return false;
  }
}

/** Archives a run, or restores it; the toast offers undo. */
export async function setArchived(run: Run, archived: boolean): Promise<void> {
  if (!(await session.attempt(() => session.client.runs.archive({ id: run.id, archived })))) return;
  session.merge([{ ...(session.runs.get(run.id) ?? run), archived }]);
  toasts.info(
    archived ? `Archived “${run.name || run.method}”.` : 'Back in the list.',
    archived ? { label: 'Undo', run: () => void setArchived(run, false) } : undefined,
  );
}

export async function removeRun(run: Run): Promise<void> {
  if (!(await session.attempt(() => session.client.runs.remove({ id: run.id })))) return;
  session.runs.delete(run.id);
  toasts.info(`Deleted “${run.name || run.method}”.`);
  router.go(['runs']);
}

/** Launches a plan, and opens its page; a refusal shows a notice. */
export async function launchPlan(plan: object): Promise<void> {
  const launched = await session.attempt(() => session.client.plans.launch({ plan }));
  if (launched) router.go(['runs', 'plans', launched.id]);
}
