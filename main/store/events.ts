import { relative, sep } from 'node:path';
import { WhetstoneError } from '../../engine/schema/errors.ts';
import type { EngineEvent, Progress } from '../../engine/schema/messages.ts';
import type { checkpointQueries } from './checkpoints.ts';
import type { StoreContext } from './context.ts';
import { canonicalJson, sha256 } from './json.ts';
import type { metricQueries } from './metrics.ts';
import type { resultQueries } from './results.ts';
import { readableSpec } from './run-states.ts';
import type { runQueries } from './runs.ts';
import type { sampleQueries, TrajectoryBatch } from './samples.ts';
import type { Sliced } from './slices.ts';

interface Tables {
  readonly runs: ReturnType<typeof runQueries>;
  readonly metrics: ReturnType<typeof metricQueries>;
  readonly samples: ReturnType<typeof sampleQueries>;
  readonly checkpoints: ReturnType<typeof checkpointQueries>;
  readonly results: ReturnType<typeof resultQueries>;
}
/** A phase in words: how much of it is done, and what the time left leaves out. Steps are told beside it. */
export const phaseText = ({ phase, done, total, of, secondsLeft, untimed = [] }: Progress): string => {
  const digits = new Intl.NumberFormat('en');
  const share =
    of === undefined
      ? ''
      : of === 'percent'
        ? ` ${done} %`
        : ` ${digits.format(done)} of ${digits.format(total)} ${of}`;
  const without =
    secondsLeft === null || untimed.length === 0 ? '' : ` (${untimed.join(' and ')} not timed yet)`;
  return `${phase}${share}${without}`;
};

/** What a committed batch changed in one run. */
export interface Committed {
  readonly runId: string;
  readonly attempt: number;
  /** Everything up to here is on disk. */
  readonly sequence: number;
  readonly metrics: Record<string, number>;
  readonly newSamples: number;
  readonly checkpoints: number;
}

/** Takes the engine's events into the tables, each event whole and once. */
export const eventQueries = ({ db, folder }: StoreContext, tables: Tables) => {
  const attempt = db.prepare<[string, number], { last_sequence: number }>(
    'select last_sequence from attempts where run_id = ? and attempt = ?',
  );
  const advance = db.prepare('update attempts set last_sequence = ? where run_id = ? and attempt = ?');
  const started = db.prepare('update runs set parameters = ?, total_steps = ? where id = ?');
  const stepped = db.prepare('update runs set step = ? where id = ?');
  const progressed = db.prepare('update runs set phase = ?, seconds_left = ? where id = ?');
  const ended = db.prepare("update runs set phase = '' where id = ?");

  /**
   * Hashes of the scorers' definitions in the run's spec, so that scores of the same scorer can be told apart
   * when its parameters change.
   */
  function scorerHashes(runId: string): Record<string, string> {
    const spec = readableSpec(tables.runs.get(runId));
    return Object.fromEntries(
      [...spec.evaluation.rewards, ...spec.rewards].map((r) => [
        r.id,
        sha256(canonicalJson({ id: r.id, params: r.params })),
      ]),
    );
  }

  function apply(e: EngineEvent): void {
    if (e.type === 'metrics' || e.type === 'trajectories' || e.type === 'checkpoint')
      stepped.run(e.step, e.runId);
    switch (e.type) {
      case 'started':
        started.run(e.parameters, e.totalSteps, e.runId);
        break;
      case 'metrics':
        tables.metrics.append(e.runId, e, e.values);
        break;
      case 'progress':
        progressed.run(phaseText(e), e.secondsLeft, e.runId);
        break;
      case 'checkpoint':
        tables.checkpoints.append(
          e.runId,
          e,
          relative(folder, e.checkpoint.path).split(sep).join('/'),
          e.checkpoint,
        );
        break;
      case 'result':
        tables.results.append(e.runId, e, e.kind, e.value);
        break;
      case 'finished':
        ended.run(e.runId);
        tables.runs.setState(e.runId, e.outcome);
        break;
      case 'failed':
        ended.run(e.runId);
        tables.runs.setState(e.runId, 'failed', e.error);
        break;
      case 'trajectories':
        break; // all of a batch's go to one segment file
    }
  }

  /**
   * A part of the events in one transaction. An event that is known already is dropped; one that is missing
   * is an error.
   */
  const commitSome = db.transaction((events: readonly EngineEvent[]): Committed[] => {
    const changes = new Map<string, Committed>();
    const batches: TrajectoryBatch[] = [];
    for (const e of events) {
      const known =
        changes.get(`${e.runId}/${e.attempt}`)?.sequence ?? attempt.get(e.runId, e.attempt)?.last_sequence;
      if (known === undefined)
        throw new WhetstoneError(
          'internal',
          `An event came for an attempt that was never begun (${e.attempt}).`,
          { where: e.runId },
        );
      if (e.sequence <= known) continue;
      if (e.sequence !== known + 1)
        throw new WhetstoneError(
          'internal',
          `Events ${known + 1} to ${e.sequence - 1} of the engine are missing.`,
          { where: e.runId },
        );
      apply(e);
      if (e.type === 'trajectories')
        batches.push({
          runId: e.runId,
          attempt: e.attempt,
          sequence: e.sequence,
          rows: e.rows,
          scorerHashes: scorerHashes(e.runId),
        });
      add(changes, {
        runId: e.runId,
        attempt: e.attempt,
        sequence: e.sequence,
        metrics: e.type === 'metrics' ? { ...e.values } : {},
        newSamples: e.type === 'trajectories' ? e.rows.length : 0,
        checkpoints: e.type === 'checkpoint' ? 1 : 0,
      });
    }
    tables.samples.append(batches);
    for (const c of changes.values()) advance.run(c.sequence, c.runId, c.attempt);
    return [...changes.values()];
  });

  return {
    /**
     * In order, one run and attempt after the other; few rows at a time. After a failure what came before it
     * is stored.
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

/** What a later part changed on top of an earlier one. */
function add(changes: Map<string, Committed>, change: Committed): void {
  const key = `${change.runId}/${change.attempt}`;
  const before = changes.get(key);
  changes.set(key, {
    ...change,
    metrics: { ...before?.metrics, ...change.metrics },
    newSamples: (before?.newSamples ?? 0) + change.newSamples,
    checkpoints: (before?.checkpoints ?? 0) + change.checkpoints,
  });
}

/** Rows that one transaction stores, unless a single event has more. */
const partRows = 256;

function* parts(events: readonly EngineEvent[]): Generator<readonly EngineEvent[]> {
  let [from, rows] = [0, 0];
  for (const [at, e] of events.entries()) {
    rows +=
      e.type === 'trajectories' ? e.rows.length : e.type === 'metrics' ? Object.keys(e.values).length : 1;
    if (rows < partRows && at + 1 < events.length) continue;
    yield events.slice(from, at + 1);
    [from, rows] = [at + 1, 0];
  }
}
