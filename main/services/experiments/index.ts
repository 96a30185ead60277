import * as z from 'zod';
import { checkSpec, decide, planOf, type Plan } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { ExperimentSpec } from '../../../engine/schema/experiment.ts';
import type { Experiment, ExperimentPlan } from '../../../preload/contract/experiments.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import { secondsPerStep } from '../../../preload/wire/run-pace.ts';
import { canResume, isLive } from '../../../preload/wire/run-states.ts';
import type { RunQueue } from '../../engine-host/queue.ts';
import type { StoredExperiment } from '../../store/experiments.ts';
import type { ResourceSources } from '../resources.ts';
import { configurationsOf, factsOf, objectivesOf, valueOf, type Progress } from './facts.ts';
import { firstRuns, laterRuns } from './new-runs.ts';

/** Parses an experiment. Throws `invalid-input` with the path of the field. */
function parsed(given: unknown): ExperimentSpec {
  const read = ExperimentSpec.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new WhetstoneError('invalid-input', z.prettifyError(read.error).split('\n')[0].replace(/^✖ /, ''), {
    where: issue.path.join('.') || 'experiment',
    hint: 'An experiment has a base, axes, a strategy, seeds and an objective.',
  });
}

/**
 * Experiments of the open workspace: makes their runs, and takes the decisions of successive halving when all
 * runs of a rung have ended, also those that a closed app has left undecided.
 */
export class Experiments {
  readonly #sources: ResourceSources;
  readonly #queue: RunQueue;
  readonly #unwatch: () => void;
  #closing = false;
  /** Decisions, one after another. */
  #work: Promise<void> = Promise.resolve();

  constructor(sources: ResourceSources, queue: RunQueue) {
    this.#sources = sources;
    this.#queue = queue;
    this.#unwatch = queue.watch(({ run }) => {
      if (!isLive(run)) this.#inTurn(() => this.#settleRun(run.id));
    });
  }

  /** Takes decisions that were due when the workspace was closed. */
  start(): void {
    this.#inTurn(async () => {
      for (const { id } of await this.#store.experiments.list()) await this.#settle(id);
    });
  }

  /** Lists the runs of an experiment; nothing starts. Throws `invalid-input` with the setting. */
  async plan(given: unknown): Promise<ExperimentPlan> {
    const spec = parsed(given);
    const { combinations, seeds, rungs, runs, steps } = planOf(spec, checkSpec);
    const pace = secondsPerStep(await this.#store.runs.list(false), checkSpec(spec.base));
    return {
      paths: spec.axes.map(({ path }) => path),
      configurations: combinations.map((values) => [...values]),
      seeds: [...seeds],
      rungs: rungs.map((rung) => ({ ...rung })),
      objective: objectivesOf(spec)[0],
      runs,
      steps,
      seconds: pace === null ? null : pace * steps,
    };
  }

  /** Queues the first runs of an experiment and returns its id. */
  async launch(given: unknown): Promise<string> {
    const spec = parsed(given);
    const plan = planOf(spec, checkSpec);
    const first = await firstRuns(this.#sources, spec, plan);
    const name = spec.name || `Experiment ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`;
    const { id, runs } = await this.#store.experiments.create(name, spec, first);
    for (const run of runs) this.#queue.publish(run);
    this.#queue.pump();
    return id;
  }

  async list(): Promise<Experiment[]> {
    const all = await this.#store.experiments.list();
    return await Promise.all(all.map(async (each) => factsOf(each, await this.#progress(each))));
  }

  async get(id: string): Promise<Experiment> {
    const stored = await this.#store.experiments.get(id);
    return factsOf(stored, await this.#progress(stored));
  }

  /** Stops its runs; decisions wait until it goes on. */
  stop(id: string): Promise<void> {
    return this.#afterDecisions(async () => {
      await this.#store.experiments.get(id);
      await this.#store.experiments.setStopped(id, true);
      // those that wait first, so that none of them starts
      const live = (await this.#runsOf(id)).filter(isLive);
      for (const run of live.toSorted((a, b) => Number(b.state === 'queued') - Number(a.state === 'queued')))
        await this.#stopRun(run.id);
    });
  }

  /** Queues its stopped, interrupted and failed runs again, and takes decisions that are due. */
  goOn(id: string): Promise<void> {
    return this.#afterDecisions(async () => {
      const { decisions, members } = await this.#store.experiments.get(id);
      const rung = decisions.length;
      const present = new Set(members.filter((each) => each.rung === rung).map(({ runId }) => runId));
      for (const run of await this.#runsOf(id))
        if (present.has(run.id) && canResume(run)) await this.#queue.resume(run.id);
      await this.#store.experiments.setStopped(id, false);
      await this.#settle(id);
    });
  }

  /** Removes it. `andRuns`: its runs as well, latest rungs first, since they were made from earlier ones. */
  async remove(id: string, andRuns: boolean): Promise<void> {
    const { members, name } = await this.#store.experiments.get(id);
    if ((await this.#runsOf(id)).some(isLive))
      throw new WhetstoneError('conflict', `Runs of '${name}' are still waiting or running.`, {
        where: id,
        hint: 'Stop the experiment first.',
      });
    if (andRuns)
      for (const { runId } of members.toReversed()) {
        await this.#store.runs.remove(runId);
        this.#queue.publishRemoved(runId);
      }
    await this.#store.experiments.remove(id);
  }

  /** Resolves when all decisions that are due have been taken. */
  settled(): Promise<void> {
    return this.#work;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#unwatch();
    await this.#work;
  }

  get #store(): ResourceSources['store'] {
    return this.#sources.store;
  }

  /** Does something between two decisions, so that none is taken on a state that it changes. */
  #afterDecisions(action: () => Promise<void>): Promise<void> {
    const turn = this.#work.then(action);
    this.#work = turn.catch(() => undefined); // the caller gets the error
    return turn;
  }

  #inTurn(action: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#closing ? undefined : action()))
      // the next end of a run, or opening the workspace again, tries once more
      .catch((error: unknown) =>
        console.error(`An experiment could not go on: ${WhetstoneError.from(error).message}`),
      );
  }

  async #stopRun(id: string): Promise<void> {
    try {
      await this.#queue.stop(id);
    } catch (error) {
      // it ended meanwhile
      if (WhetstoneError.from(error).kind !== 'conflict') throw error;
    }
  }

  async #runsOf(id: string): Promise<Run[]> {
    const { members } = await this.#store.experiments.get(id);
    return await Promise.all(members.map(({ runId }) => this.#store.runs.get(runId)));
  }

  async #progress({ spec, members }: StoredExperiment): Promise<Progress> {
    const ids = members.map(({ runId }) => runId);
    const objectives = objectivesOf(spec);
    const [runs, found] = await Promise.all([
      Promise.all(ids.map((id) => this.#store.runs.get(id))),
      Promise.all(objectives.map(({ metric }) => this.#store.experiments.lastValues(ids, metric))),
    ]);
    const known = Math.max(
      0,
      found.findIndex((values) => Object.keys(values).length > 0),
    );
    return {
      runs: new Map(runs.map((run) => [run.id, run])),
      objective: objectives[known],
      values: found[known],
    };
  }

  async #settleRun(runId: string): Promise<void> {
    const id = await this.#store.experiments.ofRun(runId);
    if (id !== null) await this.#settle(id);
  }

  /** Decides the current rung once all of its runs have ended; interrupted ones are waited for. */
  async #settle(id: string): Promise<void> {
    const stored = await this.#store.experiments.get(id);
    const { spec, decisions, members, stopped } = stored;
    if (stopped || spec.strategy.kind !== 'successive-halving') return;
    const plan = planOf(spec, checkSpec);
    const rung = decisions.length;
    const configurations = configurationsOf(stored, plan, rung);
    if (rung >= plan.rungs.length - 1 || configurations.length === 0) return;
    const progress = await this.#progress(stored);
    const present = members.filter((each) => each.rung === rung);
    const isOver = present.every(({ runId }) => {
      const run = progress.runs.get(runId);
      return !run || (!isLive(run) && run.state !== 'interrupted');
    });
    if (!isOver) return;
    await this.#decide(stored, { plan, rung, configurations, progress });
  }

  async #decide(
    { id, spec, members }: StoredExperiment,
    {
      plan,
      rung,
      configurations,
      progress,
    }: {
      readonly plan: Plan;
      readonly rung: number;
      readonly configurations: readonly number[];
      readonly progress: Progress;
    },
  ): Promise<void> {
    // a run that was removed counts as failed
    const scores = configurations.flatMap((configuration) =>
      plan.seeds.map((seed) => {
        const member = members.find(
          (each) => each.rung === rung && each.configuration === configuration && each.seed === seed,
        );
        return { configuration, value: member ? valueOf(progress, member.runId) : null };
      }),
    );
    const keep = plan.rungs[rung + 1].configurations;
    const decision = decide(scores, { rung, keep, direction: progress.objective.direction });
    const runs = await laterRuns(
      { ...this.#sources, newestCheckpoint: (runId) => this.#queue.newestCheckpoint(runId) },
      { spec, plan, rung: rung + 1, kept: decision.kept, members },
    );
    for (const run of await this.#store.experiments.advance(id, decision, runs)) this.#queue.publish(run);
    this.#queue.pump();
  }
}
