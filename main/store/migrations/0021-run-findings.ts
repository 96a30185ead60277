import type { Migration } from './migration.ts';

/**
 * Findings of the run doctor: those of the newest examination of each run, and those that a person dismissed.
 * Nothing is examined here: the services examine stored runs after the workspace has opened.
 */
export const runFindings: Migration = {
  version: 21,
  sql: `
create table run_examinations (
  run_id text primary key references runs on delete cascade, version integer not null, attempt integer not null,
  step integer not null, state text not null, at integer not null
) strict;
create table run_findings (
  run_id text not null references run_examinations on delete cascade, position integer not null, rule text not null,
  severity text not null check (severity in ('severe', 'warning')), value text not null,
  primary key (run_id, rule)
) strict, without rowid;
create table dismissed_findings (
  run_id text not null references runs on delete cascade, rule text not null, at integer not null,
  primary key (run_id, rule)
) strict, without rowid;
create view run_finding_counts as
  select e.run_id, json_object('severe', count(f.rule) filter (where f.severity = 'severe'),
    'warning', count(f.rule) filter (where f.severity = 'warning')) counts
  from run_examinations e left join run_findings f on f.run_id = e.run_id
    and not exists (select 1 from dismissed_findings d where d.run_id = f.run_id and d.rule = f.rule)
  group by e.run_id;
`,
};
