import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CheckpointFacts } from '../../engine/schema/messages.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { found, mostRows, type StoreContext } from './context.ts';
import { uuid } from './uuid.ts';

type Row = {
  id: string;
  run_id: string;
  run_name: string;
  attempt: number;
  step: number;
  path: string;
  hash: string;
  bytes: number;
  parameters: number;
  head: Checkpoint['head'];
  final: number;
  kept: number;
  created_at: number;
  method: string;
};
const select =
  'select c.*, r.name run_name, r.method from checkpoints c join runs r on r.id = c.run_id and r.visible = 1';
const fromRow = (r: Row): Checkpoint => ({
  id: r.id,
  runId: r.run_id,
  runName: r.run_name,
  attempt: r.attempt,
  step: r.step,
  path: r.path,
  hash: r.hash,
  bytes: r.bytes,
  parameters: r.parameters,
  head: r.head,
  final: r.final === 1,
  kept: r.kept === 1,
  createdAt: r.created_at,
  method: r.method,
});
const inUse =
  "exists (select 1 from run_inputs i join runs u on u.id = i.run_id where i.kind = 'checkpoint' and i.ref = c.id)";

/** Queries of checkpoints; `path` is relative to the workspace. */
export const checkpointQueries = ({ db }: StoreContext) => ({
  get: (id: string): Checkpoint =>
    fromRow(found(db.prepare<[string], Row>(`${select} where c.id = ?`).get(id), 'checkpoint', id)),

  /** Checkpoints of one run or of all, newest first. `before`: only those older than this one. */
  list: (runId: string | null, before: string | null = null): Checkpoint[] =>
    db
      .prepare<[string | null, string | null, string | null, string | null, number], Row>(
        `
    ${select} where (? is null or c.run_id = ?) and (? is null or c.rowid < (select rowid from checkpoints
      where id = ?)) order by c.rowid desc limit ?`,
      )
      .all(runId, runId, before, before, mostRows)
      .map(fromRow),

  /**
   * Adds a checkpoint, within the transaction that commits its event. A folder that was added before (the
   * last periodic checkpoint is also the final one) keeps its id.
   */
  append(
    runId: string,
    { attempt, step, at }: { attempt: number; step: number; at: number },
    path: string,
    c: CheckpointFacts,
  ): void {
    db.prepare(
      `insert into checkpoints (id, run_id, attempt, step, path, hash, bytes, parameters, head, final,
        created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (run_id, path) do update set hash = excluded.hash, bytes = excluded.bytes, final = max(final, excluded.final)`,
    ).run(uuid(at), runId, attempt, step, path, c.hash, c.bytes, c.parameters, c.head, Number(c.final), at);
  },

  /**
   * Applies the retention rule: removes all but the newest `keep` checkpoints of a run, except the last of a
   * finished run, those kept by the user, and those that another run was made from. Returns the folders to
   * delete.
   */
  prune: db.transaction((runId: string, keep: number): string[] => {
    const old = db
      .prepare<[string, number], { id: string; path: string }>(
        `
      select c.id, c.path from checkpoints c where c.run_id = ? and c.final = 0 and c.kept = 0 and not ${inUse}
        and c.id not in (select id from checkpoints where run_id = c.run_id and kept = 0 order by rowid desc limit ?)`,
      )
      .all(runId, keep);
    for (const { id } of old) db.prepare('delete from checkpoints where id = ?').run(id);
    return old.map((c) => c.path);
  }),

  /** Sets whether the retention rule spares a checkpoint. */
  keep(id: string, kept: boolean): void {
    if (db.prepare('update checkpoints set kept = ? where id = ?').run(Number(kept), id).changes === 0)
      found(undefined, 'checkpoint', id);
  },

  /** Removes a checkpoint and returns its folder. */
  remove: db.transaction((id: string): string => {
    const row = found(
      db
        .prepare<[string], Row & { used: number; state: string }>(
          `select c.*, r.name run_name, r.method, r.state, ${inUse} used from checkpoints c join runs r ` +
            'on r.id = c.run_id where c.id = ?',
        )
        .get(id),
      'checkpoint',
      id,
    );
    if (row.used)
      throw new WhetstoneError('conflict', 'A run was made from this checkpoint.', {
        where: id,
        hint: 'Remove that run first, or keep the checkpoint.',
      });
    if (row.state === 'running' || row.state === 'stopping')
      throw new WhetstoneError('conflict', `'${row.run_name}' is still ${row.state}.`, {
        where: id,
        hint: 'Stop it first.',
      });
    db.prepare('delete from checkpoints where id = ?').run(id);
    return row.path;
  }),
});
