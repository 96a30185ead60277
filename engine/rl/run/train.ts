/**
 * The training loop, independent of the method: roles make rows, learn from them, and fill buffers, as the
 * recipe's schedule says.
 */
import { setImmediate } from 'node:timers/promises';
import { sizeOf } from '../../models/model.ts';
import { followed, isStopped, unstoppable } from '../../pace/index.ts';
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import { rowProbes } from '../kernel/probes/index.ts';
import { probed } from '../kernel/probes/probe.ts';
import { rowMetrics, sampledOf, tokenCount } from '../kernel/recorder.ts';
import { replayMetrics } from '../kernel/replay-metrics.ts';
import type { Table } from '../kernel/rows.ts';
import { stepsOf, units, type Unit } from '../kernel/schedule.ts';
import { evaluateRun } from './evaluate-run.ts';
import { learn, type Learned } from './learn.ts';
import { learnedArrays, restart, type LiveRole } from './live-role.ts';
import { makeRows } from './make-rows.ts';
import { minibatchOf } from './minibatches.ts';
import { collectGarbage } from './memory-watch.ts';
import { openSession, type Opening } from './open-session.ts';
import type { Events } from './outbox.ts';
import { percent, RunProgress } from './run-progress.ts';
import { RunReport } from './run-report.ts';
import type { MadeRows } from './run-stages.ts';
import { saveSession } from './saved-state.ts';
import type { Session } from './session.ts';
import { systemUsage } from './system-usage.ts';
import type { Plan } from './time-left.ts';
import { UpdateQueue } from './update-queue.ts';

/** Model size in bytes from which copies are garbage-collected explicitly. */
const LARGE_BYTES = 1e8;
/** Assumed write speed of the first checkpoint, in bytes per second. */
const WRITE_BYTES = 200e6;

/**
 * Runs a spec until it ends or is stopped; both save a checkpoint once a step was taken. Throws failures, and
 * `cancelled` for a stop before the first step.
 */
export const runToEnd = (
  run: StartRun,
  events: Events,
  stop: AbortSignal,
  device: Device,
  opening?: Omit<Opening, 'isRehearsal'>,
): Promise<'done' | 'stopped'> =>
  followed({ stop }, async () => {
    const progress = new RunProgress(events, () => ({ step: 0 }));
    const session = await progress.during('opening', percent, () => openSession(run, device, opening));
    // the original of a model whose head was replaced
    if (session.roles.openingBytes > LARGE_BYTES) await collectGarbage();
    return new TrainingRun(session, events, stop).toEnd();
  });

/**
 * Measures a run's first steps, and an evaluation if `evaluates`, without saving anything. Returns the
 * seconds of each step; calls `begun` before each one with the number of finished steps.
 */
export const rehearse = async (
  session: Session,
  steps: number,
  evaluates: boolean,
  begun?: (done: number) => void | Promise<void>,
  enough?: () => boolean,
): Promise<number[]> => {
  const seconds: number[] = [];
  const events: Events = {
    emit: async (body) => {
      if (body.type === 'metrics' && 'seconds/step' in body.values) seconds.push(body.values['seconds/step']);
    },
  };
  await new TrainingRun(session, events, new AbortController().signal).rehearse(
    steps,
    evaluates,
    begun,
    enough,
  );
  return seconds;
};

class TrainingRun {
  readonly #session: Session;
  readonly #events: Events;
  readonly #stop: AbortSignal;
  readonly #progress: RunProgress;
  #savedAt = -1;
  readonly #report: RunReport;
  readonly #queue: UpdateQueue;
  readonly #usage = systemUsage();

  constructor(session: Session, events: Events, stop: AbortSignal) {
    this.#session = session;
    this.#events = events;
    this.#stop = stop;
    this.#progress = new RunProgress(events, () => this.#place);
    this.#progress.plan(planOf(session));
    this.#report = new RunReport(session, events);
    this.#queue = new UpdateQueue(session, (role, ahead) => this.#makeRows(role, ahead));
  }

  /** Role and step for events about the main model. */
  get #place(): { readonly role: string; readonly step: number } {
    const { roles, clock } = this.#session;
    return { role: roles.main.name, step: clock.step };
  }

  async toEnd(): Promise<'done' | 'stopped'> {
    const { run, roles, clock } = this.#session;
    const { step, totalSteps } = clock;
    await this.#events.emit({ type: 'started', parameters: sizeOf(roles.main.model), totalSteps }, { step });
    await this.#report.leftOut();
    this.#savedAt = run.resumeFrom === undefined ? -1 : step;
    if (!(await this.#trained())) return this.#stopped();
    try {
      await this.#evaluate(true);
    } catch (error) {
      if (isStopped(error)) return this.#stopped();
      throw error;
    }
    await this.#report.leftOut();
    await this.#save(true);
    return 'done';
  }

  async rehearse(
    steps: number,
    evaluates: boolean,
    begun: (done: number) => void | Promise<void> = () => undefined,
    enough = () => false,
  ): Promise<void> {
    const { task, clock } = this.#session;
    for (const unit of units(task.recipe.schedule)) {
      if (clock.step >= steps || clock.isOver || (clock.step > 0 && enough())) break;
      await begun(clock.step);
      await setImmediate(); // delivers messages before the step, which blocks
      await this.#unit(unit);
    }
    if (evaluates) await this.#evaluate();
  }

  /** Follows the schedule; returns false if stopped before its end. */
  async #trained(): Promise<boolean> {
    const { task, clock } = this.#session;
    const { evaluation, checkpoints } = task.spec;
    let skip = clock.units;
    for (const unit of units(task.recipe.schedule)) {
      if (skip-- > 0) continue;
      if (clock.isOver) break;
      // lets the event loop deliver a stop message
      await setImmediate();
      if (this.#stop.aborted && this.#queue.mayStop) return false;
      const before = clock.step;
      try {
        await this.#unit(unit);
        clock.countUnit();
        if (clock.isOver) break;
        if (clock.hasPassed(evaluation.every, before)) await this.#evaluate();
      } catch (error) {
        if (isStopped(error)) return false;
        throw error;
      }
      if (clock.hasPassed(checkpoints.every, before)) await this.#save(false);
    }
    return true;
  }

  /** Saves a checkpoint if a step was taken; a stop does not interrupt it. */
  async #stopped(): Promise<'stopped'> {
    if (this.#session.clock.step > 0) await unstoppable(() => this.#save(false));
    return 'stopped';
  }

  /** Makes, records and learns from one batch of a role's rows. */
  #unit(unit: Unit): Promise<void> {
    const role = this.#session.roles.named(unit.role);
    return this.#queue.turn(role, () => this.#turn(unit, role));
  }

  async #turn(unit: Unit, role: LiveRole): Promise<void> {
    const { task, roles, clock, control, device } = this.#session;
    const started = performance.now();
    const { table, made, correction } = await this.#progress.within('making rows', () =>
      this.#queue.rows(role),
    );
    const seconds = { rows: (performance.now() - started) / 1000, update: 0 };
    await this.#report.sampled(role, made);
    const metrics: Record<string, number> = {
      ...rowMetrics(made),
      ...probed(rowProbes, [sampledOf(made) ?? made, table]),
      ...correction,
      // stored rows in place of the batch's own
      ...('row/fresh' in made ? {} : replayMetrics(table)),
    };
    const passes = stepsOf(task.recipe, unit);
    const drawn = role.updates;
    if (unit.learn) await restart(role, device);
    const follows = unit.learn && role === roles.main && !roles.snapshots.isEmpty;
    const keep = follows ? await roles.snapshots.take(device) : undefined;
    for (let pass = 0; pass < Math.max(1, passes); pass++) {
      // the budget may end between two epochs over the same rows
      if (passes > 0 && clock.isOver) break;
      if (unit.learn) {
        if (sampledOf(made)) metrics['sampling/age'] = role.updates - drawn;
        const part = minibatchOf(role, table, pass, task.spec.seed);
        const update = () => this.#learn(role, part, passes - pass);
        const learned = await (pass === 0 && !role.start ? update() : unstoppable(update));
        if (pass === 0) keep?.();
        if (follows) await roles.snapshots.follow(device, role.updates);
        Object.assign(metrics, learned.metrics);
        seconds.update = learned.seconds;
      }
      if (pass === 0) {
        control.observe(made, metrics);
        Object.assign(metrics, control.metrics());
      }
      if (passes === 0) continue;
      clock.countStep();
      const step = seconds.update + seconds.rows / passes;
      Object.assign(metrics, {
        'seconds/step': step,
        'seconds/rows': seconds.rows / passes,
        'seconds/update': seconds.update,
        tokens_per_second: tokenCount(made) / (role.role.minibatches ?? 1) / step,
        ...this.#usage(),
      });
      await this.#events.emit(
        { type: 'metrics', values: { ...metrics } },
        { role: role.name, step: clock.step },
      );
      await this.#progress.stepped(roles.phaseOf(role), step, clock.totalSteps);
    }
    roles.buffers.add(unit, table, made);
  }

  /** Draws a role's next batch, and reports answers that could not be scored. */
  async #makeRows(role: LiveRole, ahead: number): Promise<MadeRows> {
    try {
      return await makeRows(this.#session, role, ahead);
    } finally {
      await this.#report.faults(role);
    }
  }

  #learn(role: LiveRole, table: Table, passes: number): Promise<Learned> {
    const tools = { queue: this.#queue, progress: this.#progress };
    return this.#progress.within('learning', () => learn(this.#session, tools, role, table, passes));
  }

  /** Evaluates the run; `isFinal`: at its end, of which the inspected pairs are kept. */
  async #evaluate(isFinal = false): Promise<void> {
    const { task, roles, clock } = this.#session;
    if (!task.isEvaluated) return;
    const at = this.#place;
    const counted = task.evalProblems > 0 ? { total: task.evalProblems, of: 'problems' } : percent;
    const evaluate = () =>
      evaluateRun(this.#session, {
        result: (found) => this.#events.emit({ type: 'result', ...found }, at),
        metrics: (values) => this.#events.emit({ type: 'metrics', values }, at),
        keep: (rows) => this.#events.emit({ type: 'trajectories', rows }, at),
        pairs: async (rows, total) => {
          if (isFinal) await this.#report.inspected(rows, total, at);
        },
      });
    try {
      await this.#progress.during('evaluating', counted, evaluate, 'evaluating');
    } finally {
      await this.#report.faults(roles.main, clock.step);
    }
  }

  async #save(final: boolean): Promise<void> {
    const { step } = this.#place;
    if (!final && this.#savedAt === step) return;
    // a stop does not interrupt saving, since the checkpoint would be lost
    const save = () => unstoppable(() => saveSession(this.#session));
    const saved = await this.#progress.during('saving', percent, save, 'saving');
    this.#savedAt = step;
    await this.#events.emit({ type: 'checkpoint', checkpoint: { ...saved, final } }, this.#place);
  }
}

/** The run's pauses, with the time to write a checkpoint estimated from its size. */
const planOf = ({ task, roles, clock }: Pick<Session, 'task' | 'roles' | 'clock'>): Plan => {
  const { evaluation, checkpoints } = task.spec;
  const bytes = roles.all.flatMap(learnedArrays).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return {
    steps: clock.totalSteps,
    every: { evaluating: evaluation.every, saving: checkpoints.every },
    has: { evaluating: task.isEvaluated, saving: true },
    guess: { saving: bytes / WRITE_BYTES },
  };
};
