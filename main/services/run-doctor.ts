import { examineRun, isReadByRules, runDoctorVersion, taskKinds, methods } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunFinding } from '../../engine/schema/run-finding.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run, RunChange } from '../../preload/contract/runs.ts';
import type { RunExamination } from '../../preload/contract/run-doctor.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import type { RunQueue } from '../engine-host/queue.ts';
import type { StoreClient } from '../store/client.ts';

/** Points of each metric that the rules read; of longer ones the range of each bucket as well. */
const points = 2000;
/** A running run is examined again after this pause, and after this many times as long as it took. */
const pauseMs = 2000;
const restShare = 20;

interface Work {
  /** The examination at hand. */
  busy: Promise<void> | null;
  /** Time from which the next one may start, and its timer. */
  next: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * Examines runs of the open workspace in the background: while they run, at their end, and those that were
 * stored by an earlier version. Findings are stored, so that a list of runs needs no examination.
 */
export class RunDoctor {
  readonly #store: StoreClient;
  readonly #queue: RunQueue;
  readonly #work = new Map<string, Work>();
  readonly #listeners = new Set<(runId: string) => void>();
  readonly #unwatch: () => void;
  #backlog: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(store: StoreClient, queue: RunQueue) {
    this.#store = store;
    this.#queue = queue;
    this.#unwatch = queue.watch((change) => this.#noticed(change));
  }

  /** Examines runs whose findings are missing or outdated, newest first, one at a time. */
  start(): void {
    this.#backlog = this.#examineOutdated().catch(report);
  }

  /** Calls `listener` with the id of each examined run; returns a function that unsubscribes. */
  watch(listener: (runId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The findings of a run in its present state; of a running one, those of its last examination. Throws
   * `not-found` for a run that is not there.
   */
  async of(runId: string): Promise<RunExamination> {
    const run = await this.#store.runs.get(runId);
    const stored = await this.#store.runFindings.of(runId);
    const { examined } = stored ?? {};
    const isFresh =
      examined?.version === runDoctorVersion &&
      (isLive(run) || (examined.step === run.step && examined.state === run.state)) &&
      examined.attempt === run.attempt;
    if (!isFresh && run.spec !== null) await this.#examineNow(runId);
    const { findings, dismissed, examined: at } = (await this.#store.runFindings.of(runId)) ?? none;
    return { runId, step: at.step, at: at.at, findings: [...findings], dismissed: [...dismissed] };
  }

  /** Dismisses a finding, or takes that back. */
  async dismiss(runId: string, rule: string, dismissed: boolean): Promise<RunExamination> {
    await this.#store.runFindings.dismiss(runId, rule, dismissed);
    const examination = await this.of(runId);
    await this.#announce(runId);
    return examination;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#unwatch();
    for (const { timer } of this.#work.values()) if (timer) clearTimeout(timer);
    await this.#backlog;
    for (const { busy } of this.#work.values()) if (busy) await busy;
  }

  async #examineOutdated(): Promise<void> {
    for (const id of await this.#store.runFindings.outdated(runDoctorVersion)) {
      if (this.#closing) return;
      await this.#examineNow(id);
    }
  }

  #noticed({ run }: RunChange): void {
    if (this.#closing || run.step === 0 || run.spec === null) return;
    const work = this.#workOf(run.id);
    if (work.timer) {
      if (isLive(run)) return;
      clearTimeout(work.timer);
    }
    const wait = isLive(run) ? Math.max(0, work.next - performance.now()) : 0;
    work.timer = setTimeout(() => {
      work.timer = null;
      void this.#examineStale(run.id).catch(report);
    }, wait);
    // an examination that is due must not keep the process
    work.timer.unref();
  }

  /** Examines a run unless its findings are those of its present state. */
  async #examineStale(id: string): Promise<void> {
    if (this.#closing) return;
    const [run, stored] = await Promise.all([this.#store.runs.get(id), this.#store.runFindings.of(id)]);
    const at = stored?.examined;
    if (at?.step === run.step && at.state === run.state && at.attempt === run.attempt) return;
    await this.#examineNow(id);
  }

  #workOf(id: string): Work {
    const known = this.#work.get(id) ?? { busy: null, next: 0, timer: null };
    this.#work.set(id, known);
    return known;
  }

  /** Waits for the examination at hand, if any, then examines the run. */
  async #examineNow(id: string): Promise<void> {
    const work = this.#workOf(id);
    while (work.busy) await work.busy;
    if (this.#closing) return;
    const began = performance.now();
    const examining = this.#examine(id);
    work.busy = examining.catch(() => undefined);
    try {
      await examining;
    } finally {
      work.busy = null;
      const took = performance.now() - began;
      work.next = performance.now() + Math.max(pauseMs, restShare * took);
    }
  }

  async #examine(id: string): Promise<void> {
    const run = await this.#store.runs.get(id);
    if (run.spec === null) return;
    const findings = await this.#findings(run, run.spec);
    const { attempt, step, state } = run;
    await this.#store.runFindings.put(id, { version: runDoctorVersion, attempt, step, state }, findings);
    await this.#announce(id, run);
  }

  async #findings(run: Run, spec: RunSpec): Promise<RunFinding[]> {
    const { id } = run;
    const { metrics, runFindings, results, runs } = this.#store;
    const names = (await metrics.names([id])).filter(isReadByRules);
    const [curves, answers, stored, compared, trainingRows] = await Promise.all([
      metrics.series({ runIds: [id], names, from: 0, to: null, points }),
      runFindings.answers(id),
      results.list(id),
      runs.compared(id),
      this.#trainingRows(run, spec),
    ]);
    return examineRun({
      spec,
      curves,
      answers,
      results: stored,
      start: compared?.start.evaluation ?? null,
      trainingRows,
    });
  }

  /** Rows to train on; null for a world, whose problems are endless, and where rows are not what is drawn. */
  async #trainingRows({ data }: Run, { task, method }: RunSpec): Promise<number | null> {
    if (task.kind === 'labels') {
      const sets = await this.#store.labelSets.list();
      const labeled = sets.find(({ id }) => id === task.labelSetId)?.labeled ?? 0;
      return labeled > 0 ? Math.round(labeled * (1 - task.heldout)) : null;
    }
    const kind = methods.find(({ id }) => id === method.id)?.task;
    const { trainsOn } = taskKinds.find((each) => each.kind === kind) ?? {};
    if (task.kind !== 'dataset' || !data || !(trainsOn === 'examples' || trainsOn === 'graded')) return null;
    return Math.round(data.rows * (1 - task.heldout));
  }

  /** Tells pages, where the marks of the run's lists have changed. */
  async #announce(id: string, before?: Run): Promise<void> {
    for (const listener of this.#listeners) listener(id);
    const run = await this.#store.runs.get(id);
    if (JSON.stringify(run.findings) !== JSON.stringify(before?.findings)) this.#queue.publish(run);
  }
}

const none = { findings: [], dismissed: [], examined: { step: 0, at: 0 } };

/** A background examination that failed costs a mark in a list, not the run; opening the run reports it. */
const report = (error: unknown): void =>
  console.error(`A run could not be examined: ${WhetstoneError.from(error).message}`);
