import { relative, sep } from 'node:path';
import type { EngineEvent, Progress } from '../../engine/schema/messages.ts';
import type { checkpointQueries } from './checkpoints.ts';
import type { StoreContext } from './context.ts';
import { canonicalJson, sha256 } from './json.ts';
import type { inspectionQueries } from './inspections/index.ts';
import type { metricQueries } from './metrics.ts';
import type { resultQueries } from './results.ts';
import { readableSpec } from './run-states.ts';
import type { runQueries } from './runs.ts';
import type { sampleQueries, TrajectoryBatch } from './samples.ts';

/** The query modules that store a run's events. */
export interface RunQueries {
  readonly runs: ReturnType<typeof runQueries>;
  readonly metrics: ReturnType<typeof metricQueries>;
  readonly samples: ReturnType<typeof sampleQueries>;
  readonly checkpoints: ReturnType<typeof checkpointQueries>;
  readonly results: ReturnType<typeof resultQueries>;
  readonly inspections: ReturnType<typeof inspectionQueries>;
}

type EventOf<T extends EngineEvent['type']> = EngineEvent & { readonly type: T };

/** Text of a phase: its progress, and what the time left excludes. Steps are shown separately. */
const phaseText = ({ phase, done, total, of, secondsLeft, untimed = [] }: Progress): string => {
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

/** Writes events of the engine to their tables, within the transaction that commits them. */
export const eventTables = ({ db, folder }: StoreContext, queries: RunQueries) => {
  const started = db.prepare('update runs set parameters = ?, total_steps = ? where id = ?');
  const stepped = db.prepare('update runs set step = ? where id = ?');
  const progressed = db.prepare('update runs set phase = ?, seconds_left = ? where id = ?');
  // the first time that an attempt is in a phase
  const entered = db.prepare<[EventOf<'progress'>]>(`
    insert into run_log (run_id, at, attempt, step, kind, text)
    select :runId, :at, :attempt, :step, 'phase', :phase where not exists
      (select 1 from run_log where run_id = :runId and kind = 'phase' and attempt = :attempt and text = :phase)`);
  const ended = db.prepare("update runs set phase = '' where id = ?");

  return {
    apply(e: EngineEvent): void {
      if (e.type === 'metrics' || e.type === 'trajectories' || e.type === 'checkpoint')
        stepped.run(e.step, e.runId);
      switch (e.type) {
        case 'started':
          started.run(e.parameters, e.totalSteps, e.runId);
          break;
        case 'metrics':
          queries.metrics.append(e.runId, e, e.values);
          break;
        case 'progress':
          progressed.run(phaseText(e), e.secondsLeft, e.runId);
          entered.run(e);
          break;
        case 'checkpoint':
          queries.checkpoints.append(e.runId, e, pathWithin(folder, e.checkpoint.path), e.checkpoint);
          break;
        case 'result':
          queries.results.append(e.runId, e, e.kind, e.value);
          break;
        case 'inspected-pairs':
          queries.inspections.append(e.runId, e.attempt, e);
          break;
        case 'finished':
          ended.run(e.runId);
          queries.runs.setState(e.runId, e.outcome);
          break;
        case 'failed':
          ended.run(e.runId);
          queries.runs.setState(e.runId, 'failed', e.error);
          break;
        case 'trajectories':
          break; // a batch writes all of its trajectories to one segment file
      }
    },

    /** An event's trajectories, for the batch's segment file. */
    batchOf: (e: EventOf<'trajectories'>): TrajectoryBatch => ({
      runId: e.runId,
      attempt: e.attempt,
      sequence: e.sequence,
      rows: e.rows,
      scorerHashes: scorerHashes(queries, e.runId),
    }),
  };
};

/** A file's path relative to the workspace's folder, with slashes on every system. */
const pathWithin = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');

/**
 * Hashes of the scorers' definitions in the run's spec, which distinguish scores of the same scorer with
 * different parameters.
 */
function scorerHashes({ runs }: RunQueries, runId: string): Record<string, string> {
  const spec = readableSpec(runs.get(runId));
  return Object.fromEntries(
    [...spec.evaluation.rewards, ...spec.rewards].map((r) => [
      r.id,
      sha256(canonicalJson({ id: r.id, params: r.params })),
    ]),
  );
}
