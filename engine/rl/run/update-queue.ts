/**
 * Queues rows and update reports on devices that take several updates in one run of a graph: rows are made
 * ahead of their turn, and reports are returned at theirs.
 */
import { isStopped, unstoppable } from '../../pace/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { UpdateReport } from '../compute/updater.ts';
import type { Table } from '../kernel/rows.ts';
import { updatesOf } from '../kernel/recipe.ts';
import { isPort } from '../kernel/stage.ts';
import { samples, type LiveRole } from './live-role.ts';
import type { MadeRows } from './run-stages.ts';
import type { Session } from './session.ts';
import { turnView } from './stage-context.ts';

/** An update's report, and its share of the device time in seconds. */
export interface TimedReport {
  readonly report: UpdateReport;
  readonly seconds: number;
}

/** Draws a role's next batch, `ahead` steps before it is learned from. */
type MakeRows = (role: LiveRole, ahead: number) => Promise<MadeRows>;

export class UpdateQueue {
  readonly #session: Session;
  readonly #make: MakeRows;
  readonly #rows: MadeRows[] = [];
  readonly #reports: TimedReport[] = [];

  constructor(session: Session, make: MakeRows) {
    this.#session = session;
    this.#make = make;
  }

  /**
   * True if the run may stop here. False while rows are queued, because the parameters already include their
   * updates.
   */
  get mayStop(): boolean {
    return this.#rows.length === 0;
  }

  /** The rows of this turn: queued ones, or new ones. */
  async rows(role: LiveRole): Promise<MadeRows> {
    return this.#rows.shift() ?? (await this.#make(role, 0));
  }

  /**
   * Runs one turn of a role. A stop before the model has changed restores the state before the turn. With
   * queued rows the turn runs to its end, because the parameters already include their updates.
   */
  async turn(role: LiveRole, work: () => Promise<void>): Promise<void> {
    if (!this.mayStop) return unstoppable(work);
    const { control, rewards } = this.#session;
    const { draws, memory } = role;
    const before = { control: control.state(), scorers: rewards.state() };
    try {
      await work();
    } catch (error) {
      if (!isStopped(error)) throw error;
      Object.assign(role, { draws, memory });
      control.restore(before.control);
      rewards.restore(before.scorers);
      this.#rows.length = 0;
      throw error;
    }
  }

  /**
   * The report of this turn's update: queued, or from a new update on these rows. `passes`: remaining epochs
   * over them.
   */
  async update(role: LiveRole, table: Table, passes: number): Promise<TimedReport> {
    return this.#reports.shift() ?? (await this.#updateNow(role, table, passes));
  }

  /** Takes an update, together with those that the device takes in the same run. */
  async #updateNow(role: LiveRole, table: Table, passes: number): Promise<TimedReport> {
    const { learner, updates } = role;
    if (!learner) throw new WhetstoneError('internal', `'${role.name}' has no optimizer.`);
    const began = performance.now();
    const tables = await this.#tables(role, table, passes);
    const update = () =>
      learner.updates(tables, updates, this.#session.control.weights(turnView(this.#session, role)));
    const reports = await (tables.length > 1 ? unstoppable(update) : update());
    const seconds = (performance.now() - began) / 1000 / reports.length;
    const [first, ...later] = reports.map((report) => ({ report, seconds }));
    this.#reports.push(...later);
    return first;
  }

  /**
   * The rows of this update and of later ones that fit in the same run: more epochs over the same rows, or
   * rows that need no model, up to the next evaluation or checkpoint.
   */
  async #tables(role: LiveRole, table: Table, passes: number): Promise<Table[]> {
    const { device, clock, task, roles } = this.#session;
    const { stepsPerRun } = device;
    // controllers observe every step, and snapshots follow each update
    const isFollowed = task.spec.controllers.length > 0 || !roles.snapshots.isEmpty;
    if (stepsPerRun === 1 || clock.stepsLeft < stepsPerRun || isFollowed) return [table];
    if ((role.role.minibatches ?? 1) > 1) return [table];
    if (passes > 1) return Array.from({ length: Math.min(stepsPerRun, passes) }, () => table);
    if (!this.#mayMakeAhead(role) || this.#stepsUnwatched() < stepsPerRun) return [table];
    while (this.#rows.length < stepsPerRun - 1)
      this.#rows.push(await this.#make(role, this.#rows.length + 1));
    return [table, ...this.#rows.map((rows) => rows.table)];
  }

  /** True if the role's rows are independent of earlier updates. */
  #mayMakeAhead({ role, stages, start }: LiveRole): boolean {
    return (
      this.#session.roles.all.length === 1 &&
      !start &&
      updatesOf(role) === 1 &&
      !samples({ role }) &&
      !stages.some(({ needs }) => needs.some(isPort))
    );
  }

  /** Steps until the next evaluation or checkpoint. */
  #stepsUnwatched(): number {
    const { clock, task } = this.#session;
    const { evaluation, checkpoints } = task.spec;
    return Math.min(clock.stepsUntil(evaluation.every), clock.stepsUntil(checkpoints.every));
  }
}
