import { readSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Trajectory } from '../../engine/schema/trajectory.ts';
import type { Sample } from '../../preload/contract/runs.ts';
import { fitting, found, type StoreContext } from './context.ts';
import { writeArtifact } from './files.ts';
import { problemValueQueries } from './problem-values.ts';
import { originReader, originWriter } from './sampled/origins.ts';

type Row = {
  id: string;
  run_id: string;
  attempt: number;
  step: number;
  purpose: Sample['purpose'];
  prompt_id: string;
  sample: number;
  prompt: string;
  completion: string;
  token_count: number;
  prompt_length: number;
  logp: number | null;
  stop_reason: Sample['stopReason'];
  scores: string;
  reply: string | null;
  shown: string | null;
};
/** Texts of a trajectory `t` in other tables. */
const besides = `(select r.reply from trajectory_replies r where r.trajectory_id = t.id) reply,
          (select c.shown from trajectory_contexts c where c.trajectory_id = t.id) shown`;
const textsBeside = ({ shown, reply }: Row): Pick<Sample, 'shown' | 'reply'> => ({
  ...(shown !== null && { shown }),
  ...(reply !== null && { reply }),
});
export interface SampleQuery {
  readonly runIds: readonly string[];
  readonly purpose: Sample['purpose'] | null;
  readonly promptId: string | null;
  readonly step: number | null;
  readonly order: 'newest' | 'oldest';
  readonly offset: number;
  readonly limit: number;
}
/** Trajectories of one event, with their place in the run. */
export interface TrajectoryBatch {
  readonly runId: string;
  readonly attempt: number;
  readonly sequence: number;
  readonly rows: readonly Trajectory[];
  /** Hash of each scorer's definition in the run, by scorer id. */
  readonly scorerHashes: { readonly [scorer: string]: string };
}

/** Most scores stored in one call. */
export const scoresAtOnce = 1000;

const bytesOf = (a: Int32Array | Float32Array): Uint8Array =>
  new Uint8Array(a.buffer, a.byteOffset, a.byteLength);

export const sampleQueries = ({ db, folder }: StoreContext) => {
  const insert = db.prepare(
    'insert into trajectories values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const insertShown = db.prepare('insert into trajectory_contexts values (?, ?)');
  const insertReply = db.prepare('insert into trajectory_replies values (?, ?)');
  const insertOrigin = originWriter(db);
  const originOf = originReader(db);
  const insertScore = db.prepare('insert into scores values (?, ?, ?, ?)');

  const addScore = db.prepare('insert or ignore into scores values (?, ?, ?, ?)');
  // their columns in the index of answers are filled anew
  const outdate = db.prepare(`
    update sampled_runs set stamp = stamp + 1
    where run_id in (select run_id from trajectories where id in (select value from json_each(?)))`);

  return {
    /**
     * Stores trajectories: token arrays in one segment file, rows in the table, within the transaction that
     * commits the events. Returns the number of rows.
     */
    append(batches: readonly TrajectoryBatch[]): number {
      const rows = batches.flatMap((b) => b.rows);
      if (rows.length === 0) return 0;
      const { path } = writeArtifact(
        folder,
        'segments',
        '.bin',
        rows.values().flatMap((t) => [bytesOf(t.tokens), bytesOf(t.behaviorLogp)]),
      );
      let offset = 0;
      for (const { runId, attempt, sequence, rows: own, scorerHashes } of batches) {
        for (const [position, t] of own.entries()) {
          const logp = t.behaviorLogp.reduce((sum, x) => sum + x, 0);
          insert.run(
            t.id,
            runId,
            attempt,
            sequence,
            position,
            t.role,
            t.policyVersion,
            t.step,
            t.purpose,
            t.promptId,
            t.sample,
            t.prompt,
            t.completion,
            t.tokens.length,
            t.promptLength,
            Number.isNaN(logp) ? null : logp,
            t.stopReason,
            t.temperature,
            path,
            offset,
            offset + t.tokens.byteLength,
          );
          if (t.shown !== undefined) insertShown.run(t.id, t.shown);
          if (t.reply !== undefined) insertReply.run(t.id, t.reply);
          insertOrigin(t);
          offset += t.tokens.byteLength + t.behaviorLogp.byteLength;
          for (const [scorer, value] of Object.entries(t.scores))
            insertScore.run(t.id, scorer, scorerHashes[scorer] ?? '', Number.isNaN(value) ? null : value);
        }
      }
      return rows.length;
    },

    /**
     * Adds at most `scoresAtOnce` scores computed later, under separate scorer names; existing ones are
     * unchanged.
     */
    appendScores: db.transaction(
      (
        rows: readonly { readonly id: string; readonly scorer: string; readonly value: number }[],
        hash: string,
      ): void => {
        if (rows.length > scoresAtOnce)
          throw new WhetstoneError('invalid-input', `At most ${scoresAtOnce} scores can be stored at once.`, {
            where: 'scores',
          });
        for (const { id, scorer, value } of rows)
          addScore.run(id, scorer, hash, Number.isNaN(value) ? null : value);
        outdate.run(JSON.stringify(rows.map(({ id }) => id)));
      },
    ),

    query({ runIds, purpose, promptId, step, order, offset, limit }: SampleQuery): {
      total: number;
      samples: Sample[];
    } {
      // only the given conditions, so that an index applies
      const where = [
        't.run_id in (select value from json_each(:runs))',
        purpose !== null && 't.purpose = :purpose',
        promptId !== null && 't.prompt_id = :prompt',
        step !== null && 't.step = :step',
      ]
        .filter((condition) => condition !== false)
        .join(' and ');
      const values = {
        runs: JSON.stringify(runIds),
        ...(purpose !== null && { purpose }),
        ...(promptId !== null && { prompt: promptId }),
        ...(step !== null && { step }),
      };
      const { n } = found(
        db
          .prepare<[typeof values], { n: number }>(`select count(*) n from trajectories t where ${where}`)
          .get(values),
        'sample',
        '',
      );
      const direction = order === 'newest' ? 'desc' : 'asc';
      // sort rows first, then read the texts of the page
      const rows = db
        .prepare<[typeof values & { limit: number; offset: number }], Row>(
          `
        with page as (select t.rowid row from trajectories t where ${where}
          order by t.step ${direction}, t.attempt ${direction}, t.sequence ${direction}, t.position limit :limit offset :offset)
        select t.*, (select json_group_object(s.scorer, s.value) from scores s where s.trajectory_id = t.id) scores,
          ${besides}
        from page join trajectories t on t.rowid = page.row
        order by t.step ${direction}, t.attempt ${direction}, t.sequence ${direction}, t.position`,
        )
        .iterate({ ...values, limit, offset });
      return {
        total: n,
        samples: fitting(rows, (r) => r.prompt.length + r.completion.length).map((r) => ({
          id: r.id,
          runId: r.run_id,
          attempt: r.attempt,
          step: r.step,
          purpose: r.purpose,
          promptId: r.prompt_id,
          sample: r.sample,
          prompt: r.prompt,
          completion: r.completion,
          tokens: r.token_count - r.prompt_length,
          logp: r.logp ?? Number.NaN,
          stopReason: r.stop_reason,
          scores: scoresOf(r.scores),
          ...originOf(r.id),
          ...textsBeside(r),
        })),
      };
    },

    ...problemValueQueries(db),

    /** Prompts answered by all of the runs at evaluation. */
    commonPrompts: (runIds: readonly string[], limit: number): { promptId: string; prompt: string }[] =>
      db
        .prepare<[string, number, number], { promptId: string; prompt: string }>(
          `
      select prompt_id promptId, min(prompt) prompt from trajectories where purpose = 'evaluation'
        and run_id in (select value from json_each(?))
      group by prompt_id having count(distinct run_id) = ? order by prompt_id limit ?`,
        )
        .all(JSON.stringify(runIds), new Set(runIds).size, limit),

    /**
     * Token ids of prompt and completion and the completion's log-probabilities, read from the segment file.
     */
    tokens(id: string): { tokens: Int32Array; behaviorLogp: Float32Array } {
      const row = found(
        db
          .prepare<
            [string],
            {
              segment: string;
              token_count: number;
              prompt_length: number;
              token_offset: number;
              logp_offset: number;
            }
          >('select * from trajectories where id = ?')
          .get(id),
        'sample',
        id,
      );
      const file = openSync(join(folder, row.segment), 'r');
      try {
        const tokens = new Int32Array(row.token_count);
        const behaviorLogp = new Float32Array(row.token_count - row.prompt_length);
        readSync(file, tokens, 0, tokens.byteLength, row.token_offset);
        readSync(file, behaviorLogp, 0, behaviorLogp.byteLength, row.logp_offset);
        return { tokens, behaviorLogp };
      } finally {
        closeSync(file);
      }
    },
  };
};

/** Parses scores: SQLite writes infinities into JSON as 9.0e+999, and NaN is null. */
const scoresOf = (json: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(JSON.parse(json) as Record<string, number | null>).map(([scorer, value]) => [
      scorer,
      value ?? Number.NaN,
    ]),
  );
