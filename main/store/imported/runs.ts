import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { LogOrigin } from '../../../preload/contract/log-origin.ts';
import { found, type StoreContext } from '../context.ts';
import { staged } from '../database.ts';
import { fromJson, toJson } from '../json.ts';
import { chunkWriter } from '../metric-points.ts';
import type { Sliced } from '../slices.ts';
import { uuid } from '../uuid.ts';
import type { LogPoints } from './points.ts';

/** Facts of an imported run, known when its log has been read. */
export interface ImportedRun {
  readonly id: string;
  readonly name: string;
  readonly lastStep: number;
  readonly totalSteps: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly notFinite: { readonly metric: string; readonly step: number } | null;
  readonly origin: Omit<LogOrigin, 'importedAt'>;
  readonly config: { readonly [name: string]: unknown } | null;
}

/** Points of a chunk; a longer part of a series is divided. */
const chunkPoints = 4096;
const attempt = 1;
const role = 'policy';

/**
 * Runs of other tools' logs. They are staged, so invisible, while their logs are read, and become visible
 * together; what a crash or a cancelled import leaves is deleted in the background.
 */
export const importedRunQueries = ({ db, making, tidy }: StoreContext) => {
  const insert = db.prepare(
    `insert into runs (id, name, state, method, spec, created_at, queued_at, attempt, visible)
      values (?, '', 'done', ?, 'null', ?, ?, ${attempt}, 0)`,
  );
  const isStaged = db.prepare<[string], { id: string }>('select id from runs where id = ? and visible = 0');
  const byHash = db.prepare<[string], { id: string; name: string }>(
    'select r.id, r.name from run_imports i join runs r on r.id = i.run_id where i.hash = ? and r.visible = 1 limit 1',
  );
  const show = db.prepare(
    `update runs set visible = 1, name = ?, step = ?, total_steps = ?, started_at = ?, ended_at = ?, not_finite = ?
      where id = ? and visible = 0`,
  );
  const insertOrigin = db.prepare('insert into run_imports values (?, ?, ?, ?)');
  const series = pointAppender({ db });

  const finishAll = db.transaction((runs: readonly ImportedRun[]): void => {
    for (const run of runs) {
      const { name, lastStep, totalSteps, startedAt, endedAt, notFinite, origin } = run;
      const twin = byHash.get(origin.hash);
      if (twin) throw imported(twin.name, origin.path);
      const broken = notFinite && JSON.stringify(notFinite);
      requireStaged(
        show.run(name, lastStep, totalSteps, startedAt, endedAt, broken, run.id).changes > 0,
        run.id,
      );
      const facts: LogOrigin = { ...origin, importedAt: Date.now() };
      insertOrigin.run(run.id, origin.hash, toJson(facts), run.config && toJson(run.config));
    }
  });

  return {
    /** The run that was imported from this content before; null if there is none. */
    find: (hash: string): { readonly id: string; readonly name: string } | null => byHash.get(hash) ?? null,

    /** Starts the import of a run; it is invisible until `finish`. `method`: the tool, as lists show it. */
    stage(method: string): string {
      const id = uuid();
      making.add(id);
      insert.run(id, method, Date.now(), Date.now());
      return id;
    },

    /** Appends points of a staged run, behind those of the same metric. */
    *append(id: string, points: readonly LogPoints[]): Sliced<void> {
      for (const part of points)
        for (let from = 0; from < part.steps.length; from += chunkPoints) {
          staged(db, () => {
            requireStaged(isStaged.get(id) !== undefined, id);
            series(id, part, from);
          });
          yield;
        }
    },

    /**
     * Makes staged runs visible, all in one transaction. Throws `conflict` if the workspace has one of them,
     * `not-found` if the import was interrupted.
     */
    finish(runs: readonly ImportedRun[]): void {
      finishAll(runs);
      for (const { id } of runs) making.delete(id);
    },

    /** Discards staged runs. */
    discard(ids: readonly string[]): void {
      for (const id of ids) making.delete(id);
      tidy();
    },

    /** The configuration in an imported run's log; null if there was none. */
    config(id: string): Record<string, unknown> | null {
      const { config } = found(
        db
          .prepare<[string], { config: string | null }>(
            'select i.config from run_imports i join runs r on r.id = i.run_id and r.visible = 1 where i.run_id = ?',
          )
          .get(id),
        'imported run',
        id,
      );
      return config === null ? null : fromJson<Record<string, unknown>>(config);
    },
  };
};

/** Stores a chunk of a part from one of its points on. */
function pointAppender({ db }: Pick<StoreContext, 'db'>) {
  const known = db
    .prepare<[string, string], number>(
      `select id from metric_series where run_id = ? and role = '${role}' and name = ?`,
    )
    .pluck();
  const create = db.prepare(`insert into metric_series (run_id, role, name) values (?, '${role}', ?)`);
  const last = db.prepare<[number], { next: number }>(
    'select first_sequence + count next from metric_chunks where series_id = ? order by first_sequence desc limit 1',
  );
  const write = chunkWriter(db);
  return (runId: string, { name, steps, at, values }: LogPoints, from: number): void => {
    const id = known.get(runId, name) ?? Number(create.run(runId, name).lastInsertRowid);
    const to = from + chunkPoints;
    write(id, {
      attempt,
      sequence: last.get(id)?.next ?? 1,
      steps: steps.slice(from, to),
      at: at.slice(from, to),
      values: values.slice(from, to),
    });
  };
}

/** Of an import of what the workspace has. */
export const imported = (name: string, path: string): WhetstoneError =>
  new WhetstoneError('conflict', `This log was imported already, as '${name}'.`, {
    where: path,
    hint: 'Delete that run first, if you want to import it again.',
  });

function requireStaged(isThere: boolean, id: string): void {
  if (isThere) return;
  throw new WhetstoneError('not-found', 'The import was interrupted, and what it had read was deleted.', {
    where: id,
    hint: 'Import the log again.',
  });
}
