import type { Migration } from './migration.ts';

/**
 * Findings of the run doctor: those of the newest examination of each run, and those that a person dismissed.
 * Nothing is examined here: the services examine stored runs after the workspace has opened.
 */
export const runFindings: Migration = {
  version: 23,
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
`,
};
