import {
  checkSpec,
  planNodes,
  withResults,
  type PlannedDataNode,
  type PlannedLabelsNode,
  type PlannedNode,
  type PlannedPlan,
  type PlannedRunNode,
} from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Plan, PlanPreview } from '../../preload/contract/plans.ts';
import { snippetFault } from '../../preload/wire/snippet-fault.ts';
import { triedOn } from '../../preload/wire/tried-on.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { canResume, isLive } from '../../preload/wire/run-states.ts';
import { freezeInputs } from '../services/resources.ts';
import type { OwnWork, Services } from '../services/services.ts';
import { trySnippet } from '../use-cases/try-snippet.ts';
import { canonicalJson, sha256 } from '../store/json.ts';
import type { StoredPlan } from '../store/plans.ts';
import { addedTo, arenaIn, decisionFor, type Wish, isReopened } from './arena.ts';
import { arenaFacts, requirePolicy } from './arena-facts.ts';
import { makeData } from './data.ts';
import { makeLabels } from './labels.ts';
import { stepsOfPasses } from './passes.ts';
import { requireInputs, within } from './inputs.ts';
import { finalCheckpointOf, pulled } from './pulled.ts';
import { factsOf, previewOf, readyOf, statesOf, storedOf, unreadable, type Known } from './facts.ts';
import { PlannedPlans } from './planned.ts';

/** Plans of the open workspace. */
export const plansOf = (services: Services): Plans => services.work(makePlans);
/** Has plans follow their runs in every workspace from its opening on, also while no page asks for a plan. */
export const followRuns = (services: Services): void => services.always(makePlans);
const makePlans = (services: Services): Plans => new Plans(services);

/** Share of a world's states that a run has visited. */
const VISITED = 'coverage/states';

/** Of all that it does: another name or summary is no other plan. */
const hashOf = ({ spec }: PlannedPlan): string => sha256(canonicalJson({ ...spec, name: '', summary: '' }));

/**
 * Starts the nodes of plans as soon as all that they need is done: a run through the queue, as any other run, or a
 * dataset of earlier answers. What a node made is stored with it, so a plan goes on where it was.
 */
export class Plans implements OwnWork {
  readonly #services: Services;
  readonly #unwatch: () => void;
  readonly #closing = new AbortController();
  /** What is started, one thing after another. */
  #work: Promise<void> = Promise.resolve();
  /** Number of turns that have yet to end. */
  #turns = 0;
  /** Plans that this process continues by itself. */
  readonly #going = new Set<string>();
  /** Runs that were last seen waiting or at work: only their end lets a plan go on, no other change of a run. */
  readonly #live = new Set<string>();
  readonly #planned = new PlannedPlans();
  /** Ends the making of rows of a plan. */
  #making: { readonly id: string; readonly node: string; readonly stop: AbortController } | null = null;

  constructor(services: Services) {
    this.#services = services;
    this.#unwatch = services.queue.watch(({ run }) => {
      if (isLive(run)) this.#live.add(run.id);
      else if (this.#live.delete(run.id)) this.#inTurn(() => this.#afterRun(run));
    });
  }

  /** Checks a plan and lists its nodes; nothing starts. Throws `invalid-input` with the path of the field. */
  async preview(file: unknown): Promise<PlanPreview> {
    const plan = planNodes(file, checkSpec);
    return { ...previewOf(plan), known: await this.#store.plans.ofHash(hashOf(plan)) };
  }

  /** Starts a plan, or continues the one of this workspace that was made from the same file. Returns its id. */
  async launch(file: unknown): Promise<string> {
    const plan = planNodes(file, checkSpec);
    for (const node of plan.nodes)
      if (node.kind === 'run') {
        await this.#services.devices.require(node.checked.device);
        await requireInputs(this.#store, node);
      }
    const name = plan.spec.name || `Plan ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`;
    const { id, isNew } = await this.#store.plans.create({ name, file, hash: hashOf(plan) });
    if (isNew) {
      this.#going.add(id);
      this.#inTurn(() => this.#settle(id));
    } else await this.goOn(id);
    return id;
  }

  async list(): Promise<Plan[]> {
    const all = await this.#store.plans.list();
    return await Promise.all(all.map((stored) => this.#facts(stored, false)));
  }

  async get(id: string): Promise<Plan> {
    return await this.#facts(await this.#store.plans.get(id), true);
  }

  /** Stops its runs and the making of its rows; nothing more starts until it goes on. */
  async stop(id: string): Promise<void> {
    await this.#store.plans.get(id);
    await this.#store.plans.setStopped(id, true);
    this.#going.delete(id);
    if (this.#making?.id === id) this.#making.stop.abort();
    await this.#afterTurns(async () => {
      this.#going.delete(id); // a start that was under way
      const live = [...(await this.#runsOf(await this.#store.plans.get(id))).values()].filter(isLive);
      // those that wait first, so that none of them starts
      for (const run of live.toSorted((a, b) => Number(b.state === 'queued') - Number(a.state === 'queued')))
        await this.#stopRun(run.id);
    });
  }

  /**
   * Continues it: failed nodes and those whose run was removed begin again, stopped and interrupted runs go on from
   * their checkpoints.
   */
  goOn(id: string): Promise<void> {
    return this.#afterTurns(async () => {
      const stored = await this.#store.plans.get(id);
      await this.#store.plans.setStopped(id, false);
      this.#going.add(id);
      const runs = await this.#runsOf(stored);
      const plan = this.#planned.of(stored);
      for (const { node, runId, datasetId, labelSetId, unfinishedSetId } of stored.nodes) {
        if (unfinishedSetId !== null) await this.#store.labelSets.remove(unfinishedSetId);
        const run = runs.get(runId ?? '');
        if (run?.state === 'failed' && isReopened(stored, plan, node)) {
          await this.#store.plans.forget(id, node);
          continue;
        }
        if (run && canResume(run)) await this.#services.queue.resume(run.id);
        // one that waits since the workspace was closed, too
        if (run && (isLive(run) || canResume(run))) this.#services.queue.ask(run.id);
        // another attempt of a run whose specification was refused would fail as well
        else if (run?.state === 'failed' || (!run && datasetId === null && labelSetId === null))
          await this.#store.plans.forget(id, node);
      }
      this.#inTurn(() => this.#settle(id));
    });
  }

  /** Starts what is due, and resolves when that is done. */
  advance(id: string): Promise<void> {
    return this.#afterTurns(() => this.#settle(id));
  }

  /**
   * Pauses, pins or frees a candidate of an arena, or adds one, from the next budget on; stored with the plan. Throws
   * as `decisionFor` does, and what is wrong with the code of a candidate to add.
   */
  async decide(id: string, wish: Wish): Promise<void> {
    if (wish.code !== undefined) await this.#requireCode(id, wish);
    if (wish.origin !== undefined) requirePolicy((await this.get(id)).arenas, wish);
    await this.#afterTurns(async () => {
      const stored = await this.#store.plans.get(id);
      const runs = await this.#runsOf(stored);
      const failed = new Set([...runs.values()].flatMap((run) => (run.state === 'failed' ? run.id : [])));
      const decision = decisionFor(stored, this.#planned.of(stored), failed, wish);
      if (decision === null) return;
      const decisions = [...stored.decisions, decision];
      planNodes(stored.file, checkSpec, addedTo({ decisions }));
      await this.#store.plans.decide(id, decision);
    });
  }

  /** Tries the code of a candidate on some answers of its task. Throws its first error. */
  async #requireCode(id: string, { arena, code = '' }: Wish): Promise<void> {
    const { arms } = arenaIn(this.#planned.of(await this.#store.plans.get(id)), arena);
    const { task } = arms[0].spec as { task: RunSpec['task'] };
    const on = triedOn(task);
    if (on === null) return;
    const tried = await trySnippet(this.#services, code, on);
    const fault = snippetFault(tried, 'The code');
    if (fault) throw new WhetstoneError('invalid-input', fault.message, { where: 'code', hint: fault.hint });
  }

  async remove(id: string): Promise<void> {
    const stored = await this.#store.plans.get(id);
    const { name } = stored;
    if (this.#making?.id === id || [...(await this.#runsOf(stored)).values()].some(isLive))
      throw new WhetstoneError('conflict', `'${name}' is still running.`, {
        where: id,
        hint: 'Stop it first.',
      });
    this.#going.delete(id);
    this.#planned.forget(id);
    await this.#store.plans.remove(id);
  }

  /** Resolves when all that is due has been started. */
  async settled(): Promise<void> {
    while (this.#turns > 0) await this.#work;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    await this.#work;
  }

  get #store(): Services['store'] {
    return this.#services.store;
  }

  /** Does something between two starts, so that none is based on a state that it changes. */
  #afterTurns(action: () => Promise<void>): Promise<void> {
    this.#turns += 1;
    const turn = this.#work.then(action).finally(() => (this.#turns -= 1));
    this.#work = turn.catch(() => undefined); // the caller gets the error
    return turn;
  }

  #inTurn(action: () => Promise<void>): void {
    this.#afterTurns(async () => {
      if (!this.#closing.signal.aborted) await action();
    }).catch((error: unknown) =>
      // the next end of a run, or "go on", tries once more
      console.error(`A plan could not go on: ${WhetstoneError.from(error).message}`),
    );
  }

  /** After a restart, a run that was resumed on its own page continues its plan once it is done. */
  async #afterRun({ id, state }: Run): Promise<void> {
    const found = await this.#store.plans.ofRun(id);
    if (found !== null && (state === 'done' || this.#going.has(found.id))) await this.#settle(found.id);
  }

  async #runsOf({ nodes }: StoredPlan): Promise<ReadonlyMap<string, Run>> {
    const ids = nodes.flatMap(({ runId }) => runId ?? []);
    const runs = await Promise.all(ids.map((id) => this.#store.runs.get(id)));
    return new Map(runs.map((run) => [run.id, run]));
  }

  /** Also of a plan whose file this version refuses, which must neither hide others nor stay for ever. */
  async #facts(stored: StoredPlan, withEvaluations: boolean): Promise<Plan> {
    try {
      this.#planned.of(stored);
    } catch (error) {
      return unreadable(stored, error);
    }
    const known = await this.#known(stored, withEvaluations);
    return factsOf(known, withEvaluations ? await arenaFacts(this.#store, known) : []);
  }

  async #known(stored: StoredPlan, withEvaluations: boolean): Promise<Known> {
    const plan = this.#planned.of(stored);
    const runs = await this.#runsOf(stored);
    const making = this.#making?.id === stored.id ? this.#making.node : null;
    const isDue =
      this.#going.has(stored.id) &&
      readyOf(stored, plan, statesOf({ stored, plan, runs, making })).length > 0;
    const evaluations = withEvaluations ? await this.#evaluations([...runs.keys()]) : new Map();
    const isHeld = await this.#isHeld([...runs.values()].filter(isLive));
    return { stored, plan, runs, making, isDue, isHeld, evaluations };
  }

  /** True if all these live runs wait in a queue that is paused. */
  async #isHeld(live: readonly Run[]): Promise<boolean> {
    const { queue } = this.#services;
    if (live.length === 0 || live.some(({ id, state }) => state !== 'queued' || queue.isAsked(id)))
      return false;
    return (await queue.state()).paused !== null;
  }

  /** Last values of the metrics of evaluations, and the share of a world's states that was visited, by run. */
  async #evaluations(runIds: readonly string[]): Promise<Known['evaluations']> {
    const found = new Map<string, Record<string, number>>();
    for (const metric of await this.#store.metrics.names(runIds)) {
      if (!metric.startsWith('eval/') && metric !== VISITED) continue;
      const values = await this.#store.experiments.lastValues(runIds, metric);
      for (const [id, value] of Object.entries(values))
        found.set(id, { ...found.get(id), [metric.replace(/^eval\//, '')]: value });
    }
    return found;
  }

  async #stopRun(id: string): Promise<void> {
    try {
      await this.#services.queue.stop(id);
    } catch (error) {
      // it ended meanwhile
      if (WhetstoneError.from(error).kind !== 'conflict') throw error;
    }
  }

  /** Starts every node that can begin, until none is left that can. */
  async #settle(id: string): Promise<void> {
    for (;;) {
      const stored = await this.#store.plans.get(id);
      if (stored.stopped || this.#closing.signal.aborted) return;
      const known = await this.#known(stored, false);
      const ready = readyOf(stored, known.plan, statesOf(known));
      if (ready.length === 0) return;
      this.#going.add(id);
      try {
        for (const node of ready) {
          if ((await this.#store.plans.get(id)).stopped) return;
          await this.#begin(known, node);
        }
      } catch (error) {
        this.#going.delete(id);
        throw error;
      }
    }
  }

  /** Begins a node; if it cannot begin, the reason is stored with it. */
  async #begin(known: Known, node: PlannedNode): Promise<void> {
    const { id } = known.stored;
    const stop = new AbortController();
    try {
      if (node.kind === 'run') await this.#beginRun(known, node);
      else {
        this.#making = { id, node: node.id, stop };
        const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
        if (node.kind === 'labels') await this.#makeLabels(known.stored, node, signal);
        else await this.#makeData(known.stored, node, signal);
      }
    } catch (error) {
      const { facts, kind } = WhetstoneError.from(error);
      if (kind !== 'cancelled') await this.#store.plans.setError(id, node.id, facts);
    } finally {
      this.#making = null;
    }
  }

  #makeData(stored: StoredPlan, node: PlannedDataNode, signal: AbortSignal): Promise<void> {
    return makeData(this.#store, {
      node,
      name: `${stored.name}: ${node.id}`,
      plan: stored.name,
      runs: new Map(node.answers.map((each) => [each, storedOf(stored, each)?.runId ?? ''])),
      signal,
      began: (datasetId) => this.#store.plans.setDataset(stored.id, node.id, datasetId),
    });
  }

  async #makeLabels(stored: StoredPlan, node: PlannedLabelsNode, signal: AbortSignal): Promise<void> {
    const runId = storedOf(stored, node.answers)?.runId ?? '';
    const { plans } = this.#store;
    const labelSetId = await makeLabels(this.#store, {
      node,
      runId,
      signal,
      began: (id) => plans.setLabels(stored.id, node.id, id, false),
    });
    await plans.setLabels(stored.id, node.id, labelSetId, true);
  }

  async #beginRun({ stored }: Known, node: PlannedRunNode): Promise<void> {
    const made = new Map<string, string>();
    for (const need of node.needs) {
      const before = storedOf(stored, need);
      const result =
        before?.datasetId ??
        before?.labelSetId ??
        (before?.runId ? await finalCheckpointOf(this.#store, before.runId) : null);
      if (result) made.set(need, result);
    }
    const { pull } = node;
    const given = pull ? await pulled(this.#store, stored, { ...node, pull }) : node.spec;
    const where = pull ? `${node.where}.candidates` : `${node.where}.spec`;
    const ready = withResults(given, (need) => {
      const id = made.get(need);
      if (id !== undefined) return id;
      throw new WhetstoneError('not-found', `The run of '${need}' has left no checkpoint.`, { where });
    });
    const from = await within(
      where,
      async () => {
        let spec = checkSpec(ready);
        if (node.passes !== undefined) {
          const steps = await stepsOfPasses(this.#store, spec, node.passes);
          spec = checkSpec({ ...ready, budget: { ...(ready.budget as object), steps } });
        }
        return { spec, inputs: await freezeInputs(this.#services, spec) };
      },
      pull ? {} : node.checked,
    );
    const run = await this.#store.plans.addRun(stored.id, node.id, from);
    const { queue } = this.#services;
    queue.publish(run);
    // the user has let the plan go on; a queue that the user has paused stays so
    if ((await queue.state()).paused === 'restart') queue.ask(run.id);
    else queue.pump();
  }
}
