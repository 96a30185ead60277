import type { Migration } from './migration.ts';

/** Reports about judges may be maps of their representations, too. */
export const judgeMaps: Migration = {
  version: 29,
  sql: `
create table judge_reports_of_all_kinds (
  id text primary key, kind text not null check (kind in ('probes', 'suite', 'map')), judge_hash text not null,
  run_id text references runs on delete cascade, at integer not null, summary text not null, value text not null
) strict;
insert into judge_reports_of_all_kinds select * from judge_reports order by rowid;
drop table judge_reports;
alter table judge_reports_of_all_kinds rename to judge_reports;
create index judge_reports_by_hash on judge_reports (judge_hash, kind, at);
create index judge_reports_by_kind on judge_reports (kind, at);
create index judge_reports_by_run on judge_reports (run_id);
`,
};
