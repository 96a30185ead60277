import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive, type RunState } from '../../preload/wire/run-states.ts';
import type { Db } from './database.ts';
import { lastPlace } from './run-queue.ts';

/** The run's configuration. Throws `conflict` for an imported run, the stored error if it cannot be read. */
export function readableSpec({ id, name, spec, error, imported }: Run): RunSpec {
  if (imported)
    throw new WhetstoneError('conflict', `'${name}' was imported from a log, so it has nothing to run.`, {
      where: id,
      hint: 'Launch a new run.',
    });
  if (spec === null) throw WhetstoneError.from(error);
  return spec;
}

/** Transitions between run states; each reads and writes the run in one transaction. */
export const runStates = (db: Db, get: (id: string) => Run) => {
  const set = db.prepare(
    'update runs set state = ?, error = ?, ended_at = ?, seconds_left = null where id = ?',
  );

  return {
    /**
     * Queues a run for another attempt. `isWorkedOn`: the engine has it. Reads and writes in one transaction,
     * as `stop` does, so that an end in between is not overwritten. A run whose end could not be stored (a
     * full disk) counts as ended.
     */
    enqueue: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const run = get(id);
      requireResumable(run, isWorkedOn);
      db.prepare(
        `update runs set state = 'queued', queued_at = ?, place = ${lastPlace}, error = null, ended_at = null,
          phase = '' where id = ?`,
      ).run(Date.now(), id);
      return get(id);
    }),

    /**
     * Stops a run: a queued one leaves the queue, one in the engine becomes `stopping`, and any other becomes
     * `interrupted`.
     */
    stop: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const run = get(id);
      requireGoing(run);
      const next = run.state === 'queued' ? 'stopped' : isWorkedOn ? 'stopping' : 'interrupted';
      set.run(next, null, isLive({ state: next }) ? null : Date.now(), id);
      return get(id);
    }),

    /** Starts the next attempt and returns its number. Throws `cancelled` if the run has left the queue. */
    beginAttempt: db.transaction((id: string, resumedFrom: string | null): number => {
      const { attempt: before, state } = get(id);
      if (state !== 'queued')
        throw new WhetstoneError('cancelled', 'The run has left the queue.', { where: id });
      const attempt = before + 1;
      openAttempt(db, { id, attempt, resumedFrom });
      return attempt;
    }),

    setState(id: string, state: RunState, error: ErrorFacts | null = null): Run {
      set.run(state, error && JSON.stringify(error), isLive({ state }) ? null : Date.now(), id);
      return get(id);
    },

    /**
     * Marks runs left running by a killed main process as interrupted. Queued ones stay in the queue, which is
     * paused: training must not begin unasked when a workspace is opened.
     */
    interruptLeftovers(): void {
      const error: ErrorFacts = {
        kind: 'cancelled',
        message: 'Whetstone was closed during this run.',
        hint: 'Resume it: it continues from its newest checkpoint.',
      };
      db.prepare(
        "update runs set state = 'interrupted', error = ?, ended_at = ?, seconds_left = null where state " +
          "in ('running', 'stopping')",
      ).run(JSON.stringify(error), Date.now());
      db.prepare(
        "update queue set paused = 'restart' where paused is null and exists (select 1 from runs where state = " +
          "'queued' and visible = 1)",
      ).run();
    },
  };
};

/**
 * Throws if a run cannot be queued: its configuration is unreadable, no steps are left, or it is queued or
 * running.
 */
function requireResumable(run: Run, isWorkedOn: boolean): void {
  const { id, name, state } = run;
  readableSpec(run);
  if (state === 'done')
    throw new WhetstoneError('conflict', `'${name}' is done: it has taken all of its steps.`, {
      where: id,
      hint: 'Launch a new run from its checkpoint.',
    });
  if (state === 'queued' || isWorkedOn)
    throw new WhetstoneError('conflict', `'${name}' is ${state} already.`, { where: id });
}

function requireGoing({ id, name, state }: Run): void {
  if (!isLive({ state }))
    throw new WhetstoneError('conflict', `'${name}' is ${state}, so there is nothing to stop.`, {
      where: id,
    });
}

/** Records a new attempt and marks the run as running. */
function openAttempt(
  db: Db,
  { id, attempt, resumedFrom }: { id: string; attempt: number; resumedFrom: string | null },
): void {
  const now = Date.now();
  // steps that are repeated may come out finite
  db.prepare(
    `update runs set not_finite = null where id = ?
      and json_extract(not_finite, '$.step') > coalesce((select step from checkpoints where id = ?), 0)`,
  ).run(id, resumedFrom);
  db.prepare('insert into attempts (run_id, attempt, started_at, resumed_from) values (?, ?, ?, ?)').run(
    id,
    attempt,
    now,
    resumedFrom,
  );
  db.prepare(
    "update runs set state = 'running', attempt = ?, started_at = coalesce(started_at, ?), ended_at = " +
      "null, error = null, phase = 'starting' where id = ?",
  ).run(attempt, now, id);
}
