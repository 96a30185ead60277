/**
 * The one loop. It knows no method by name: roles make rows, learn from them, and fill buffers, as the
 * recipe's schedule says.
 */
import { setImmediate } from 'node:timers/promises';
import { sizeOf } from '../../models/model.ts';
import { followed, isStopped, unstoppable } from '../../pace/index.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../schema/errors.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Columns, Need } from '../kernel/columns.ts';
import { corrected, correctionOf, imitated } from './bent-rows.ts';
import type { Events } from './outbox.ts';
import { frozenFeatures } from '../compute/frozen-features.ts';
import { evaluateSession } from './judgement.ts';
import type { Fitter } from '../kernel/objective.ts';
import { percent, RunProgress } from './run-progress.ts';
import { collectGarbage } from './memory-watch.ts';
import { rowMetrics, sampledOf, scoresOf, tokenCount, trajectories } from '../kernel/recorder.ts';
import { appendRows, type Table } from '../kernel/rows.ts';
import { runStages, type MadeRows } from './run-stages.ts';
import { stepsOf, units, type Unit } from '../kernel/schedule.ts';
import { badParameter, notFinite } from './not-finite.ts';
import { openSession, type Substitutes } from './open-session.ts';
import { saveSession } from './saved-state.ts';
import type { LiveRole, Session } from './session.ts';
import type { Plan } from './time-left.ts';
import type { UpdateReport } from '../compute/learner.ts';
import { isPort } from '../kernel/stage.ts';
import { loopOf, outlookOf, portOf, restart } from './turn.ts';

/** A run ends with `numeric` after so many steps in a row whose loss or gradient was not finite. */
const MOST_SKIPPED = 3;
/** Trajectories in one event. */
const ROWS_AN_EVENT = 256;
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
  /**
   * Rows that were made ahead, to be learned from in one run with those before them, and what updates have
   * reported that were taken ahead.
   */
  readonly #rowsAhead: MadeRows[] = [];
  readonly #reportsAhead: { readonly report: UpdateReport; readonly seconds: number }[] = [];

  constructor(session: Session, events: Events, stop: AbortSignal) {
    this.#session = session;
    this.#events = events;
    this.#stop = stop;
    const { main, standing } = session;
    this.#progress = new RunProgress(events, () => ({ role: main.name, step: standing.step }));
    this.#progress.plan(planOf(session));
  }

  async toEnd(): Promise<'done' | 'stopped'> {
    const { main, standing, totalSteps } = this.#session;
    await this.#events.emit(
      { type: 'started', parameters: sizeOf(main.model), totalSteps },
      { step: standing.step },
    );
    await this.#tellLeftOut();
    this.#savedAt = this.#session.run.resumeFrom === undefined ? -1 : standing.step;
    if (!(await this.#trained())) return this.#stopped();
    try {
      await this.#evaluate();
    } catch (error) {
      if (isStopped(error)) return this.#stopped();
      throw error;
    }
    await this.#tellLeftOut();
    await this.#save(true);
    return 'done';
  }

  #leftOutTold = 0;
  /** A world's rows are only met as they are drawn, so the count may have grown since it was told. */
  async #tellLeftOut(): Promise<void> {
    const { leftOut, standing } = this.#session;
    if (leftOut.rows === this.#leftOutTold) return;
    this.#leftOutTold = leftOut.rows;
    await this.#events.emit({ type: 'metrics', values: leftOut.metrics() }, { step: standing.step });
  }

  async rehearse(
    steps: number,
    evaluates: boolean,
    begun: (done: number) => void | Promise<void> = () => undefined,
    enough = () => false,
  ): Promise<void> {
    const { recipe, standing, totalSteps } = this.#session;
    for (const unit of units(recipe.schedule)) {
      if (standing.step >= Math.min(steps, totalSteps) || (standing.step > 0 && enough())) break;
      await begun(standing.step);
      await setImmediate(); // whoever waits hears of it before the step, which blocks
      await this.#unit(unit);
    }
    if (evaluates) await this.#evaluate();
  }

  /** Walks the schedule; false where it was asked to stop before its end. */
  async #trained(): Promise<boolean> {
    const { recipe, standing, totalSteps, spec } = this.#session;
    let skip = standing.units;
    for (const unit of units(recipe.schedule)) {
      if (skip-- > 0) continue;
      if (standing.step >= totalSteps) break;
      // a stop message is only seen when the event loop turns
      await setImmediate();
      // what was taken ahead is in the parameters already: the run stands where its last step was taken
      if (this.#stop.aborted && this.#rowsAhead.length === 0) return false;
      const before = standing.step;
      const passed = (every: number) =>
        every > 0 && Math.floor(standing.step / every) > Math.floor(before / every);
      try {
        await this.#unit(unit);
        standing.units++;
        if (standing.step >= totalSteps) break;
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
    if (this.#session.standing.step > 0) await unstoppable(() => this.#save(false));
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
    if (this.#rowsAhead.length > 0) return unstoppable(() => this.#turn(unit, role));
    const before = { draws: role.draws, control: control.state(), scorers: stack.state() };
    try {
      await this.#turn(unit, role);
    } catch (error) {
      if (!isStopped(error)) throw error;
      role.draws = before.draws;
      control.restore(before.control);
      stack.restore(before.scorers);
      this.#rowsAhead.length = 0;
      throw error;
    }
  }

  async #turn(unit: Unit, role: LiveRole): Promise<void> {
    const { recipe, standing, totalSteps, control } = this.#session;
    const started = performance.now();
    const { table, made, correction } =
      this.#rowsAhead.shift() ??
      (await this.#progress
        .within('making rows', () => this.#makeRows(role))
        .finally(() => this.#tellFaults(role)));
    const seconds = { rows: (performance.now() - started) / 1000, update: 0 };
    await this.#keepRows(role, made);
    const metrics: Record<string, number> = { ...rowMetrics(made), ...correction };
    const passes = stepsOf(recipe, unit);
    if (unit.learn && role.start) await restart(this.#session, role, role.start);
    for (let pass = 0; pass < Math.max(1, passes); pass++) {
      // the budget may end between two passes over the same rows
      if (passes > 0 && standing.step >= totalSteps) break;
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
      standing.step++;
      const step = seconds.update + seconds.rows / passes;
      Object.assign(metrics, {
        'seconds/step': step,
        'seconds/rows': seconds.rows / passes,
        'seconds/update': seconds.update,
        tokens_per_second: tokenCount(made) / step,
      });
      await this.#events.emit(
        { type: 'metrics', values: { ...metrics } },
        { role: role.name, step: standing.step },
      );
      await this.#progress.stepped(
        this.#session.main.role.objective ? 'training' : 'sampling',
        step,
        totalSteps,
      );
    }
    this.#endTurn(unit, table);
  }

  async #makeRows(role: LiveRole, ahead = 0): Promise<MadeRows> {
    const { standing, totalSteps } = this.#session;
    const loop = {
      ...loopOf(this.#session, role),
      ...(ahead > 0 && { progress: (standing.step + ahead) / totalSteps }),
    };
    const port = (need: Need): unknown => {
      const [kind, name, ...column] = need.split('/');
      return kind === 'buffer'
        ? this.#session.buffers.get(name)?.[column.join('/')]
        : portOf(this.#session, role, name);
    };
    const rows = await runStages(role.stages, port, loop).catch((error: unknown) =>
      this.#blamed(role, error),
    );
    const { table, correction } = await this.#unbent(role, rows.table);
    const learned = imitated(table, this.#session.control.threshold(outlookOf(this.#session, role)));
    role.draws++;
    return { made: rows.made, table: learned, ...(correction && { correction }) };
  }

  /**
   * A model that gives no numbers is told with the step and the parameter that is none, where there is one.
   */
  async #blamed(role: LiveRole, error: unknown): Promise<never> {
    const { device, standing } = this.#session;
    const parameter =
      error instanceof WhetstoneError && error.kind === 'numeric'
        ? await badParameter(role, device)
        : undefined;
    if (parameter === undefined || !(error instanceof WhetstoneError)) throw error;
    throw new WhetstoneError(
      'numeric',
      `${error.message} Its parameter ${parameter} holds NaN or infinity.`,
      { where: `step ${standing.step + 1}, tensor ${parameter}`, hint: error.hint, cause: error },
    );
  }

  /**
   * Rows that the role has drawn itself, at another temperature than its own, with their credit corrected for
   * it.
   */
  async #unbent(role: LiveRole, table: Table): Promise<Pick<MadeRows, 'table' | 'correction'>> {
    const { control } = this.#session;
    const outlook = outlookOf(this.#session, role);
    if (
      !control.bends ||
      !('advantage' in table && 'behaviorLogp' in table) ||
      role.role.asks.some((port) => port.startsWith('buffer/'))
    )
      return { table };
    if (control.temperature(outlook) === 1 && !control.annealing(outlook)) return { table };
    const { tokens, mask } = table as Pick<Columns, 'tokens'> & Partial<Columns>;
    const own = await role.live.logp(tokens, role.temperature, mask);
    return { table: corrected(table, own), correction: correctionOf(table, own) };
  }

  /** Answers that could not be scored are shown, whether the run goes on or stops because of them. */
  async #tellFaults({ name }: LiveRole, step = this.#session.standing.step + 1): Promise<void> {
    for (const fault of this.#session.faults.take())
      await this.#events.emit({ type: 'result', kind: 'reward-fault', value: fault }, { role: name, step });
  }

  /** Sampled answers are kept, every one. */
  async #keepRows(role: LiveRole, table: Table): Promise<void> {
    const sampled = sampledOf(table);
    if (!sampled) return;
    const { run, method, standing, control } = this.#session;
    const step = standing.step + 1;
    const rows = trajectories(sampled, scoresOf(sampled), {
      runId: run.runId,
      attempt: run.attempt,
      role: role.name,
      update: role.updates,
      step,
      purpose: method.produces === 'rows' ? 'sample' : 'train',
      temperature: role.temperature * control.temperature(outlookOf(this.#session, role)),
    });
    for (let from = 0; from < rows.length; from += ROWS_AN_EVENT) {
      await this.#events.emit(
        { type: 'trajectories', rows: rows.slice(from, from + ROWS_AN_EVENT) },
        { role: role.name, step },
      );
    }
  }

  /**
   * One update, or one closed-form fit. A step that is not finite changes nothing; too many in a row end the
   * run. `passes` over these rows are left.
   */
  async #learn(
    role: LiveRole,
    table: Table,
    passes: number,
  ): Promise<{ metrics: { [metric: string]: number }; seconds: number }> {
    const { standing, device } = this.#session;
    const fit = role.role.objective?.fit;
    if (fit) {
      const began = performance.now();
      await device.read(role.trained.flat);
      let portions = 1;
      const fitted = await this.#progress.during('fitting the head', percent, () =>
        fit(
          table,
          this.#fitterOf(role, (count) => {
            portions = count;
          }),
        ),
      );
      device.changed(role.trained.flat);
      role.updates++;
      return { metrics: fitted, seconds: (portions * (performance.now() - began)) / 1000 };
    }
    const {
      report: { loss, gradNorm, learningRate, skipped, metrics },
      seconds,
    } = this.#reportsAhead.shift() ?? (await this.#update(role, table, passes));
    role.updates++;
    standing.skippedInRow = skipped ? standing.skippedInRow + 1 : 0;
    if (standing.skippedInRow >= MOST_SKIPPED)
      throw await notFinite(role, table, { device, step: standing.step + 1, steps: MOST_SKIPPED });
    return {
      metrics: { loss, grad_norm: gradNorm, learning_rate: learningRate, skipped, ...metrics },
      seconds,
    };
  }

  /**
   * What a closed-form fit asks of a role. A rehearsal takes one portion of the features, says how many there
   * are, and solves nothing.
   */
  #fitterOf({ live, trained }: LiveRole, rehearsed: (portions: number) => void): Fitter {
    const {
      scoring,
      run: {
        resources: { features: folder },
      },
    } = this.#session;
    const rehearsal = scoring.rehearsal === true;
    return {
      features: async (tokens, mask) => {
        const counted = { total: tokens.offsets.length - 1, of: 'rows' };
        const found = await this.#progress.during('reading features', counted, () =>
          frozenFeatures(live, { tokens, mask }, { folder, rehearsal }),
        );
        if (rehearsal) rehearsed(found.portions);
        return found;
      },
      rehearsal,
      setHead: (weight) => trained.view('score.weight').set(weight),
    };
  }

  /**
   * An update, and with it those that the device takes in the same run; their reports wait until it is their
   * turn.
   */
  async #update(
    role: LiveRole,
    table: Table,
    passes: number,
  ): Promise<{ readonly report: UpdateReport; readonly seconds: number }> {
    const { learner, updates } = role;
    if (!learner) throw new WhetstoneError('internal', `'${role.name}' has nothing to learn with.`);
    const began = performance.now();
    const tables = await this.#tablesAhead(role, table, passes);
    const update = () =>
      learner.updates(tables, updates, this.#session.control.weights(outlookOf(this.#session, role)));
    const reports = await (tables.length > 1 ? unstoppable(update) : update());
    const seconds = (performance.now() - began) / 1000 / reports.length;
    const [first, ...later] = reports.map((report) => ({ report, seconds }));
    this.#reportsAhead.push(...later);
    return first;
  }

  /**
   * The rows of this update and of those after it that may be taken in one run: passes over the same rows, or
   * rows that ask no model, up to where the parameters are looked at.
   */
  async #tablesAhead(role: LiveRole, table: Table, passes: number): Promise<Table[]> {
    const {
      device: { stepsPerRun },
      standing,
      totalSteps,
      roles,
      spec,
    } = this.#session;
    const left = totalSteps - standing.step;
    // a controller looks at every step
    if (stepsPerRun === 1 || left < stepsPerRun || spec.controllers.length > 0) return [table];
    if (passes > 1) return Array.from({ length: Math.min(stepsPerRun, passes) }, () => table);
    const until = (every: number): number => (every > 0 ? every - (standing.step % every) : Infinity);
    const free =
      roles.size === 1 &&
      !role.start &&
      (role.role.epochs ?? 1) === 1 &&
      !role.role.has.includes('behaviorLogp') &&
      !role.stages.some(({ needs }) => needs.some(isPort));
    if (!free || Math.min(until(spec.evaluation.every), until(spec.checkpoints.every)) < stepsPerRun)
      return [table];
    while (this.#rowsAhead.length < stepsPerRun - 1)
      this.#rowsAhead.push(
        await this.#makeRows(role, this.#rowsAhead.length + 1).finally(() => this.#tellFaults(role)),
      );
    return [table, ...this.#rowsAhead.map((rows) => rows.table)];
  }

  /** Rows join the buffers of their role when its turn ends: who reads them sees earlier turns only. */
  #endTurn({ role, endsTurn }: Unit, table: Table): void {
    const { recipe, buffers, turnRows } = this.#session;
    const fed = Object.entries(recipe.buffers).filter(([, { of }]) => of === role);
    if (fed.length === 0) return;
    const rows = appendRows(turnRows.get(role) ?? {}, table);
    turnRows.set(role, rows);
    if (!endsTurn) return;
    for (const [name, { last, fresh }] of fed)
      buffers.set(name, appendRows((fresh ? undefined : buffers.get(name)) ?? {}, rows, last));
    turnRows.delete(role);
  }

  async #evaluate(): Promise<void> {
    const { main, standing, spec, method } = this.#session;
    if (method.produces === 'rows') return;
    const at = { role: main.name, step: standing.step };
    const counted =
      method.produces === 'policy' && spec.evaluation.problems > 0
        ? { total: spec.evaluation.problems, of: 'problems' }
        : percent;
    const evaluate = () =>
      evaluateSession(this.#session, {
        result: (kind, value) => this.#events.emit({ type: 'result', kind, value }, at),
        metrics: (values) => this.#events.emit({ type: 'metrics', values }, at),
        keep: (rows) => this.#events.emit({ type: 'trajectories', rows }, at),
      });
    await this.#progress
      .during('evaluating', counted, evaluate, 'evaluating')
      .finally(() => this.#tellFaults(main, standing.step));
  }

  async #save(final: boolean): Promise<void> {
    const { main, standing } = this.#session;
    if (!final && this.#savedAt === standing.step) return;
    // a checkpoint that was begun is finished: what it holds would be lost
    const saved = await this.#progress.during(
      'saving',
      percent,
      () => unstoppable(() => saveSession(this.#session)),
      'saving',
    );
    this.#savedAt = standing.step;
    await this.#events.emit(
      { type: 'checkpoint', checkpoint: { ...saved, final } },
      { role: main.name, step: standing.step },
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
