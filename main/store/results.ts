import type { Result } from '../../preload/contract/runs.ts';
import { fitting, type StoreContext } from './context.ts';
import { fromJson, toJson } from './json.ts';

type Row = { kind: Result['kind']; step: number; attempt: number; value: string };

/** Most results of a run in one answer; each may be a whole table. */
const mostResults = 500;

/** Queries of results that are not curves: evaluations, inspections. */
export const resultQueries = ({ db }: StoreContext) => ({
  /** Stores a result, within the transaction that commits its event. */
  append(
    runId: string,
    { attempt, sequence, step, at }: { attempt: number; sequence: number; step: number; at: number },
    kind: Result['kind'],
    value: unknown,
  ): void {
    db.prepare('insert into results values (?, ?, ?, ?, ?, ?, ?)').run(
      runId,
      attempt,
      sequence,
      step,
      kind,
      toJson(value),
      at,
    );
  },

  /** The newest results, in order of arrival. */
  list: (runId: string): Result[] =>
    fitting(
      db
        .prepare<[string, number], Row>(
          `
    select kind, step, attempt, value from results where run_id = ? order by attempt desc, sequence desc limit ?`,
        )
        .iterate(runId, mostResults),
      (r) => r.value.length,
    )
      .reverse()
      .map((r) => ({ kind: r.kind, step: r.step, attempt: r.attempt, value: fromJson<unknown>(r.value) })),

  newest: (runId: string, kind: Result['kind']): Result | null => {
    const r = db
      .prepare<[string, string], Row>(
        'select kind, step, attempt, value from results where run_id = ? and kind = ? order by attempt ' +
          'desc, sequence desc limit 1',
      )
      .get(runId, kind);
    return r ? { kind: r.kind, step: r.step, attempt: r.attempt, value: fromJson<unknown>(r.value) } : null;
  },
});
