import { found, type StoreContext } from '../context.ts';
import { fromJson, toJson } from '../json.ts';
import { uuid } from '../uuid.ts';

export type ReportKind = 'probes' | 'suite' | 'map';

/** A report as it is listed. */
export interface ListedReport {
  readonly id: string;
  readonly kind: ReportKind;
  /** Hash of the judge's files, and the run of the checkpoint; null for an added model. */
  readonly hash: string;
  readonly runId: string | null;
  readonly at: number;
  readonly summary: unknown;
}

type Row = {
  id: string;
  kind: ReportKind;
  judge_hash: string;
  run_id: string | null;
  at: number;
  summary: string;
};

/** Most reports in a list. */
const most = 200;
const listed = 'select id, kind, judge_hash, run_id, at, summary from judge_reports';
const fromRow = (row: Row): ListedReport => ({
  id: row.id,
  kind: row.kind,
  hash: row.judge_hash,
  runId: row.run_id,
  at: row.at,
  summary: fromJson<unknown>(row.summary),
});

/** Queries of reports about judges. */
export const judgeReportQueries = ({ db }: StoreContext) => ({
  /** Stores a report, with its summary for lists. */
  add(
    { kind, hash, runId, at }: Pick<ListedReport, 'kind' | 'hash' | 'runId' | 'at'>,
    summary: unknown,
    value: unknown,
  ): string {
    const id = uuid();
    db.prepare('insert into judge_reports values (?, ?, ?, ?, ?, ?, ?)').run(
      id,
      kind,
      hash,
      runId,
      at,
      toJson(summary),
      toJson(value),
    );
    return id;
  },

  /** The newest 200 reports of a kind, newest first. */
  list: (kind: ReportKind): ListedReport[] =>
    db
      .prepare<[string, number], Row>(`${listed} where kind = ? order by at desc, rowid desc limit ?`)
      .all(kind, most)
      .map(fromRow),

  /** The newest report of a kind about exactly these files. */
  newest(kind: ReportKind, hash: string): ListedReport | null {
    const row = db
      .prepare<[string, string], Row>(
        `${listed} where judge_hash = ? and kind = ? order by at desc, rowid desc limit 1`,
      )
      .get(hash, kind);
    return row ? fromRow(row) : null;
  },

  /** The newest report of a kind on the checkpoints of a run. */
  newestOfRun(kind: ReportKind, runId: string): ListedReport | null {
    const row = db
      .prepare<[string, string], Row>(
        `${listed} where run_id = ? and kind = ? order by at desc, rowid desc limit 1`,
      )
      .get(runId, kind);
    return row ? fromRow(row) : null;
  },

  /** A whole report. Throws `not-found`. */
  get(id: string): unknown {
    const row = db
      .prepare<[string], { value: string }>('select value from judge_reports where id = ?')
      .get(id);
    return fromJson<unknown>(found(row, 'report', id).value);
  },

  remove(id: string): void {
    const { changes } = db.prepare('delete from judge_reports where id = ?').run(id);
    found(changes === 0 ? undefined : changes, 'report', id);
  },
});
