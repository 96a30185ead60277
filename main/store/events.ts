import { WhetstoneError } from '../../engine/common/errors.ts';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { StoreContext } from './context.ts';
import { eventTables, type RunQueries } from './event-tables.ts';
import type { TrajectoryBatch } from './samples.ts';
import type { Sliced } from './slices.ts';

/** Changes of one run by a committed batch. */
export interface Committed {
  readonly runId: string;
  readonly attempt: number;
  /** All events up to this sequence number are on disk. */
  readonly sequence: number;
  readonly newSamples: number;
  readonly checkpoints: number;
}

/** Stores the engine's events exactly once and whole. */
export const eventQueries = (context: StoreContext, queries: RunQueries) => {
  const { db } = context;
  const attempt = db.prepare<[string, number], { last_sequence: number }>(
    'select last_sequence from attempts where run_id = ? and attempt = ?',
  );
  const advance = db.prepare('update attempts set last_sequence = ? where run_id = ? and attempt = ?');
  const tables = eventTables(context, queries);

  /**
   * Commits some events in one transaction. Drops events that are stored already; throws if one is missing.
   */
  const commitSome = db.transaction((events: readonly EngineEvent[]): Committed[] => {
    const changes = new Map<string, Committed>();
    const batches: TrajectoryBatch[] = [];
    for (const e of events) {
      const known =
        changes.get(`${e.runId}/${e.attempt}`)?.sequence ?? attempt.get(e.runId, e.attempt)?.last_sequence;
      if (!isNext(e, known)) continue;
      tables.apply(e);
      if (e.type === 'trajectories') batches.push(tables.batchOf(e));
      add(changes, changeOf(e));
    }
    queries.samples.append(batches);
    for (const c of changes.values()) advance.run(c.sequence, c.runId, c.attempt);
    return [...changes.values()];
  });

  return {
    /**
     * Commits events in order, run by run and attempt by attempt, in transactions of few rows. After a
     * failure, the earlier transactions remain stored.
     */
    *commit(events: readonly EngineEvent[]): Sliced<Committed[]> {
      const changes = new Map<string, Committed>();
      for (const part of parts(events)) {
        for (const change of commitSome(part)) add(changes, change);
        yield;
      }
      return [...changes.values()];
    },
  };
};

/** True if an event is the next of its attempt; false for a stored one. Throws for a gap. */
function isNext(e: EngineEvent, known: number | undefined): boolean {
  if (known === undefined)
    throw new WhetstoneError(
      'internal',
      `An event belongs to an attempt that was never started (${e.attempt}).`,
      { where: e.runId },
    );
  if (e.sequence <= known) return false;
  if (e.sequence !== known + 1)
    throw new WhetstoneError(
      'internal',
      `Events ${known + 1} to ${e.sequence - 1} of the engine are missing.`,
      { where: e.runId },
    );
  return true;
}

/** The change made by one event. */
const changeOf = (e: EngineEvent): Committed => ({
  runId: e.runId,
  attempt: e.attempt,
  sequence: e.sequence,
  newSamples: e.type === 'trajectories' ? e.rows.length : 0,
  checkpoints: e.type === 'checkpoint' ? 1 : 0,
});

/** Merges the change of a later transaction. */
function add(changes: Map<string, Committed>, change: Committed): void {
  const key = `${change.runId}/${change.attempt}`;
  const before = changes.get(key);
  changes.set(key, {
    ...change,
    newSamples: (before?.newSamples ?? 0) + change.newSamples,
    checkpoints: (before?.checkpoints ?? 0) + change.checkpoints,
  });
}

/** Most rows in one transaction, unless a single event has more. */
const partRows = 256;

function* parts(events: readonly EngineEvent[]): Generator<readonly EngineEvent[]> {
  let [from, rows] = [0, 0];
  for (const [at, e] of events.entries()) {
    rows +=
      e.type === 'trajectories' || e.type === 'inspected-pairs'
        ? e.rows.length
        : e.type === 'metrics'
          ? Object.keys(e.values).length
          : 1;
    if (rows < partRows && at + 1 < events.length) continue;
    yield events.slice(from, at + 1);
    [from, rows] = [at + 1, 0];
  }
}
