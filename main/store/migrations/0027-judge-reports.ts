import type { Migration } from './migration.ts';

/** Reports about judges, of probes and of suites; `judge_hash`: of the files that a report is about. */
export const judgeReports: Migration = {
  version: 27,
  sql: `
create table judge_reports (
  id text primary key, kind text not null check (kind in ('probes', 'suite')), judge_hash text not null,
  run_id text references runs on delete cascade, at integer not null, summary text not null, value text not null
) strict;
create index judge_reports_by_hash on judge_reports (judge_hash, kind, at);
create index judge_reports_by_kind on judge_reports (kind, at);
create index judge_reports_by_run on judge_reports (run_id);
`,
};
