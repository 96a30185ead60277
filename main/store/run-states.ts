import { WhetstoneError, type ErrorFacts } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { isLive, type RunState } from '../../preload/wire/run-states.ts';
import type { Db } from './database.ts';

/** The run's configuration. Throws what is wrong with it where it cannot be read. */
export function readableSpec({ spec, error }: Pick<Run, 'spec' | 'error'>): RunSpec {
  if (spec === null) throw WhetstoneError.from(error);
  return spec;
}

/** How a run goes from state to state; each change looks the run up and writes in one step. */
export const runStates = (db: Db, get: (id: string) => Run) => {
  const set = db.prepare(
    'update runs set state = ?, error = ?, ended_at = ?, seconds_left = null where id = ?',
  );

  return {
    /** The run that has waited longest. */
    nextQueued: (): Run | null => {
      const next = db
        .prepare<[], { id: string }>(
          "select id from runs where state = 'queued' and visible = 1 order by queued_at, id limit 1",
        )
        .get();
      return next ? get(next.id) : null;
    },

    /**
     * Back into the queue, for another attempt. `isWorkedOn`: the engine has it. Looked up and written in one
     * step, as in `stop`, so that an end that comes in between is not written over. A run whose end could not
     * be stored (a full disk) counts as over.
     */
    enqueue: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const run = get(id);
      requireResumable(run, isWorkedOn);
      db.prepare(
        "update runs set state = 'queued', queued_at = ?, error = null, ended_at = null, phase = '' where id = ?",
      ).run(Date.now(), id);
      return get(id);
    }),

    /**
     * A queued run leaves the queue; one that the engine has is `stopping`; one that nobody works on any more
     * is `interrupted`.
     */
    stop: db.transaction((id: string, isWorkedOn: boolean): Run => {
      const run = get(id);
      requireGoing(run);
      const next = run.state === 'queued' ? 'stopped' : isWorkedOn ? 'stopping' : 'interrupted';
      set.run(next, null, isLive({ state: next }) ? null : Date.now(), id);
      return get(id);
    }),

    /** Opens the next attempt and says its number. Throws `cancelled` where the run has left the queue. */
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

    /** Runs that a killed main left going: nobody works on them any more. */
    interruptLeftovers(): void {
      const error: ErrorFacts = {
        kind: 'cancelled',
        message: 'Whetstone was closed while this run was going on.',
        hint: 'Resume it: it continues from its newest checkpoint.',
      };
      const queued: ErrorFacts = {
        kind: 'cancelled',
        message: 'Whetstone was closed while this run was waiting in the queue.',
        hint: 'Resume it to queue it again.',
      };
      db.prepare(
        "update runs set state = 'interrupted', error = ?, ended_at = ?, seconds_left = null where state " +
          "in ('running', 'stopping')",
      ).run(JSON.stringify(error), Date.now());
      db.prepare("update runs set state = 'interrupted', error = ?, ended_at = ? where state = 'queued'").run(
        JSON.stringify(queued),
        Date.now(),
      );
    },
  };
};

/** A run can go into the queue when its configuration can be read, steps are left and nobody works on it. */
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

/** Records a new attempt, and that its run is running. */
function openAttempt(
  db: Db,
  { id, attempt, resumedFrom }: { id: string; attempt: number; resumedFrom: string | null },
): void {
  const now = Date.now();
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
