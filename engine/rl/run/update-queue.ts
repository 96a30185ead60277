/**
 * What is done ahead of the loop where the device takes several updates in one run: rows are made before
 * their turn, and the reports of the updates wait for theirs.
 */
import { isStopped, unstoppable } from '../../pace/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { UpdateReport } from '../compute/updater.ts';
import type { Table } from '../kernel/rows.ts';
import { isPort } from '../kernel/stage.ts';
import { samples, type LiveRole } from './live-role.ts';
import type { MadeRows } from './run-stages.ts';
import type { Session } from './session.ts';
import { turnView } from './stage-context.ts';

/** What one update has reported, and its share of the time that the device took. */
export interface TimedReport {
  readonly report: UpdateReport;
  readonly seconds: number;
}

/** Draws a role's next batch, so many steps before it is learned from. */
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

  /** Whether the run may stop here: updates on rows that wait for their turn are in the parameters already. */
  get mayStop(): boolean {
    return this.#rows.length === 0;
  }

  /** The rows whose turn it is: made ahead, or now. */
  async rows(role: LiveRole): Promise<MadeRows> {
    return this.#rows.shift() ?? (await this.#make(role, 0));
  }

  /**
   * Does one turn of a role. Where it is asked to stop before it has changed the model, everything stands as
   * before; what was taken ahead is in the parameters already, so that turn goes on to its end.
   */
  async turn(role: LiveRole, work: () => Promise<void>): Promise<void> {
    if (!this.mayStop) return unstoppable(work);
    const { control, rewards } = this.#session;
    const before = { draws: role.draws, control: control.state(), scorers: rewards.stack.state() };
    try {
      await work();
    } catch (error) {
      if (!isStopped(error)) throw error;
      role.draws = before.draws;
      control.restore(before.control);
      rewards.stack.restore(before.scorers);
      this.#rows.length = 0;
      throw error;
    }
  }

  /**
   * The report of the update whose turn it is: one that was taken ahead, or of an update on these rows now.
   * `passes` over them are left.
   */
  async update(role: LiveRole, table: Table, passes: number): Promise<TimedReport> {
    return this.#reports.shift() ?? (await this.#updateNow(role, table, passes));
  }

  /** An update, and with it those that the device takes in the same run. */
  async #updateNow(role: LiveRole, table: Table, passes: number): Promise<TimedReport> {
    const { learner, updates } = role;
    if (!learner) throw new WhetstoneError('internal', `'${role.name}' has nothing to learn with.`);
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
   * The rows of this update and of those after it that may be taken in one run: passes over the same rows, or
   * rows that ask no model, up to where the parameters are looked at.
   */
  async #tables(role: LiveRole, table: Table, passes: number): Promise<Table[]> {
    const { device, clock, task } = this.#session;
    const { stepsPerRun } = device;
    // a controller looks at every step
    if (stepsPerRun === 1 || clock.stepsLeft < stepsPerRun || task.spec.controllers.length > 0)
      return [table];
    if (passes > 1) return Array.from({ length: Math.min(stepsPerRun, passes) }, () => table);
    if (!this.#mayMakeAhead(role) || this.#stepsUnwatched() < stepsPerRun) return [table];
    while (this.#rows.length < stepsPerRun - 1)
      this.#rows.push(await this.#make(role, this.#rows.length + 1));
    return [table, ...this.#rows.map((rows) => rows.table)];
  }

  /** Whether the role's rows are the same whatever the updates before them do. */
  #mayMakeAhead({ role, stages, start }: LiveRole): boolean {
    return (
      this.#session.roles.all.length === 1 &&
      !start &&
      (role.epochs ?? 1) === 1 &&
      !samples({ role }) &&
      !stages.some(({ needs }) => needs.some(isPort))
    );
  }

  /** Steps until the parameters are looked at: evaluated or saved. */
  #stepsUnwatched(): number {
    const { clock, task } = this.#session;
    const { evaluation, checkpoints } = task.spec;
    return Math.min(clock.stepsUntil(evaluation.every), clock.stepsUntil(checkpoints.every));
  }
}
