/**
 * The one loop. It knows no method by name: roles make rows, learn from them, and fill buffers, as the
 * recipe's schedule says.
 */
import { setImmediate } from 'node:timers/promises';
import { sizeOf } from '../../models/model.ts';
import { followed, isStopped, unstoppable } from '../../pace/index.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import { rowMetrics, tokenCount } from '../kernel/recorder.ts';
import type { Table } from '../kernel/rows.ts';
import { stepsOf, units, type Unit } from '../kernel/schedule.ts';
import { fitHead } from './fit-head.ts';
import { evaluateRun } from './evaluate-run.ts';
import { makeRows } from './make-rows.ts';
import { collectGarbage } from './memory-watch.ts';
import { blamed, notFinite } from './not-finite.ts';
import { openSession, type Substitutes } from './open-session.ts';
import type { Events } from './outbox.ts';
import { percent, RunProgress } from './run-progress.ts';
import { RunReport } from './run-report.ts';
import type { MadeRows } from './run-stages.ts';
import { saveSession } from './saved-state.ts';
import type { LiveRole, Session } from './session.ts';
import type { Plan } from './time-left.ts';
import { endTurn, restart } from './stage-context.ts';
import { UpdateQueue } from './update-queue.ts';

/** A run ends with `numeric` after so many steps in a row whose loss or gradient was not finite. */
const MOST_SKIPPED = 3;
/** What a model takes whose copies are worth looking for. */
const LARGE_BYTES = 1e8;
/** Bytes a second that a checkpoint is taken to be written with, until one was. */
const WRITE_BYTES = 200e6;

/**
 * Runs a spec to its end, or to where it is asked to stop; both leave a checkpoint once a step was taken.
 * Failures are thrown; a stop before the first step is a failure of kind `cancelled`.
 */
export const runToEnd = (
  run: StartRun,
  events: Events,
  stop: AbortSignal,
  device: Device,
  substitutes?: Substitutes,
): Promise<'done' | 'stopped'> =>
  followed({ stop }, async () => {
    const opening = new RunProgress(events, () => ({ step: 0 }));
    const session = await opening.during('opening', percent, () => openSession(run, device, substitutes));
    // of a model whose head was replaced, the whole model as it was read
    if (session.openingBytes > LARGE_BYTES) await collectGarbage();
    return new TrainingRun(session, events, stop).toEnd();
  });

/**
 * Takes the first steps of a run without saving anything, for its measure to be taken; `evaluates`: and
 * evaluates it. Answers with the seconds of each step; `begun` hears how many have been taken, before each
 * one.
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

  constructor(session: Session, events: Events, stop: AbortSignal) {
    this.#session = session;
    this.#events = events;
    this.#stop = stop;
    const { main, counters } = session;
    this.#progress = new RunProgress(events, () => ({ role: main.name, step: counters.step }));
    this.#progress.plan(planOf(session));
    this.#report = new RunReport(session, events);
    this.#queue = new UpdateQueue(session, (role, ahead) => this.#makeRows(role, ahead));
  }

  async toEnd(): Promise<'done' | 'stopped'> {
    const { main, counters, totalSteps } = this.#session;
    await this.#events.emit(
      { type: 'started', parameters: sizeOf(main.model), totalSteps },
      { step: counters.step },
    );
    await this.#report.leftOut();
    this.#savedAt = this.#session.run.resumeFrom === undefined ? -1 : counters.step;
    if (!(await this.#trained())) return this.#stopped();
    try {
      await this.#evaluate();
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
    const { recipe, counters, totalSteps } = this.#session;
    for (const unit of units(recipe.schedule)) {
      if (counters.step >= Math.min(steps, totalSteps) || (counters.step > 0 && enough())) break;
      await begun(counters.step);
      await setImmediate(); // whoever waits hears of it before the step, which blocks
      await this.#unit(unit);
    }
    if (evaluates) await this.#evaluate();
  }

  /** Walks the schedule; false where it was asked to stop before its end. */
  async #trained(): Promise<boolean> {
    const { recipe, counters, totalSteps, spec } = this.#session;
    let skip = counters.units;
    for (const unit of units(recipe.schedule)) {
      if (skip-- > 0) continue;
      if (counters.step >= totalSteps) break;
      // a stop message is only seen when the event loop turns
      await setImmediate();
      // what was taken ahead is in the parameters already: the run stands where its last step was taken
      if (this.#stop.aborted && !this.#queue.isAhead) return false;
      const before = counters.step;
      const passed = (every: number) =>
        every > 0 && Math.floor(counters.step / every) > Math.floor(before / every);
      try {
        await this.#unit(unit);
        counters.units++;
        if (counters.step >= totalSteps) break;
        if (passed(spec.evaluation.every)) await this.#evaluate();
      } catch (error) {
        if (isStopped(error)) return false;
        throw error;
      }
      if (passed(spec.checkpoints.every)) await this.#save(false);
    }
    return true;
  }

  /** What was learned is saved, and no stop ends that; before the first step nothing was. */
  async #stopped(): Promise<'stopped'> {
    if (this.#session.counters.step > 0) await unstoppable(() => this.#save(false));
    return 'stopped';
  }

  /**
   * One batch of rows of one role: made, kept, learned from. Where it is asked to stop before it has changed
   * the model, everything stands as before; after that it goes on to its end.
   */
  async #unit(unit: Unit): Promise<void> {
    const { roles, control, stack } = this.#session;
    const role = roles.get(unit.role);
    if (!role)
      throw new WhetstoneError('internal', `The schedule names '${unit.role}', which is not a role.`);
    // what was taken ahead is in the parameters already
    if (this.#queue.isAhead) return unstoppable(() => this.#turn(unit, role));
    const before = { draws: role.draws, control: control.state(), scorers: stack.state() };
    try {
      await this.#turn(unit, role);
    } catch (error) {
      if (!isStopped(error)) throw error;
      role.draws = before.draws;
      control.restore(before.control);
      stack.restore(before.scorers);
      this.#queue.dropRows();
      throw error;
    }
  }

  async #turn(unit: Unit, role: LiveRole): Promise<void> {
    const { recipe, counters, totalSteps, control } = this.#session;
    const started = performance.now();
    const { table, made, correction } =
      this.#queue.nextRows() ?? (await this.#progress.within('making rows', () => this.#makeRows(role)));
    const seconds = { rows: (performance.now() - started) / 1000, update: 0 };
    await this.#report.sampled(role, made);
    const metrics: Record<string, number> = { ...rowMetrics(made), ...correction };
    const passes = stepsOf(recipe, unit);
    if (unit.learn && role.start) await restart(this.#session, role, role.start);
    for (let pass = 0; pass < Math.max(1, passes); pass++) {
      // the budget may end between two passes over the same rows
      if (passes > 0 && counters.step >= totalSteps) break;
      if (unit.learn) {
        const learn = () => this.#progress.within('learning', () => this.#learn(role, table, passes - pass));
        const learned = await (pass === 0 && !role.start ? learn() : unstoppable(learn));
        Object.assign(metrics, learned.metrics);
        seconds.update = learned.seconds;
      }
      if (pass === 0) {
        control.observe(made, metrics);
        Object.assign(metrics, control.metrics());
      }
      if (passes === 0) continue;
      counters.step++;
      const step = seconds.update + seconds.rows / passes;
      Object.assign(metrics, {
        'seconds/step': step,
        'seconds/rows': seconds.rows / passes,
        'seconds/update': seconds.update,
        tokens_per_second: tokenCount(made) / step,
      });
      await this.#events.emit(
        { type: 'metrics', values: { ...metrics } },
        { role: role.name, step: counters.step },
      );
      await this.#progress.stepped(
        this.#session.main.role.objective ? 'training' : 'sampling',
        step,
        totalSteps,
      );
    }
    endTurn(this.#session, unit, table);
  }

  /** Draws a role's next batch, and shows what could not be scored of it. */
  #makeRows(role: LiveRole, ahead = 0): Promise<MadeRows> {
    return makeRows(this.#session, role, ahead).finally(() => this.#report.faults(role));
  }

  /**
   * One update, or one closed-form fit. A step that is not finite changes nothing; too many in a row end the
   * run. `passes` over these rows are left.
   */
  async #learn(
    role: LiveRole,
    table: Table,
    passes: number,
  ): Promise<{ readonly metrics: { readonly [metric: string]: number }; readonly seconds: number }> {
    const { counters, device } = this.#session;
    const fit = role.role.objective?.fit;
    if (fit) {
      const fitted = await fitHead(this.#session, this.#progress, role, fit, table).catch((error: unknown) =>
        blamed(this.#session, role, error),
      );
      role.updates++;
      return fitted;
    }
    const {
      report: { loss, gradNorm, learningRate, skipped, metrics },
      seconds,
    } = await this.#queue.update(role, table, passes);
    role.updates++;
    counters.skippedInRow = skipped ? counters.skippedInRow + 1 : 0;
    if (counters.skippedInRow >= MOST_SKIPPED)
      throw await notFinite(role, table, { device, step: counters.step + 1, steps: MOST_SKIPPED });
    return {
      metrics: { loss, grad_norm: gradNorm, learning_rate: learningRate, skipped, ...metrics },
      seconds,
    };
  }

  async #evaluate(): Promise<void> {
    const { main, counters, spec, method } = this.#session;
    if (method.produces === 'rows') return;
    const at = { role: main.name, step: counters.step };
    const counted =
      method.produces === 'policy' && spec.evaluation.problems > 0
        ? { total: spec.evaluation.problems, of: 'problems' }
        : percent;
    const evaluate = () =>
      evaluateRun(this.#session, {
        result: (found) => this.#events.emit({ type: 'result', ...found }, at),
        metrics: (values) => this.#events.emit({ type: 'metrics', values }, at),
        keep: (rows) => this.#events.emit({ type: 'trajectories', rows }, at),
      });
    await this.#progress
      .during('evaluating', counted, evaluate, 'evaluating')
      .catch((error: unknown) => blamed(this.#session, main, error, counters.step))
      .finally(() => this.#report.faults(main, counters.step));
  }

  async #save(final: boolean): Promise<void> {
    const { main, counters } = this.#session;
    if (!final && this.#savedAt === counters.step) return;
    // a checkpoint that was begun is finished: what it holds would be lost
    const saved = await this.#progress.during(
      'saving',
      percent,
      () => unstoppable(() => saveSession(this.#session)),
      'saving',
    );
    this.#savedAt = counters.step;
    await this.#events.emit(
      { type: 'checkpoint', checkpoint: { ...saved, final } },
      { role: main.name, step: counters.step },
    );
  }
}

/** What a run does beside its steps, and how long a checkpoint takes to write, by its size. */
const planOf = ({ spec, method, totalSteps, roles }: Session): Plan => {
  const floats = [...roles.values()].reduce(
    (sum, { trained, learner }) =>
      sum + trained.size + Object.values(learner?.state ?? {}).reduce((all, { length }) => all + length, 0),
    0,
  );
  return {
    steps: totalSteps,
    every: { evaluating: spec.evaluation.every, saving: spec.checkpoints.every },
    has: { evaluating: method.produces !== 'rows', saving: true },
    guess: { saving: (Float32Array.BYTES_PER_ELEMENT * floats) / WRITE_BYTES },
  };
};
