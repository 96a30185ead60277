import type { Migration } from './migration.ts';

/** Adds models in folders outside the workspace, from which runs can start and which run inputs can name. */
export const models: Migration = {
  version: 2,
  sql: `
create table models (
  id text primary key, name text not null, path text not null unique, hash text not null, facts text not null, created_at integer not null
) strict;

create table new_run_inputs (
  run_id text not null references runs on delete cascade, kind text not null check (kind in ('checkpoint',
    'dataset', 'label-set', 'model')),
  ref text not null, hash text not null, artifact text, primary key (run_id, kind, ref)
) strict, without rowid;
insert into new_run_inputs select run_id, kind, ref, hash, artifact from run_inputs;
drop table run_inputs;
alter table new_run_inputs rename to run_inputs;
create index run_inputs_by_ref on run_inputs (kind, ref);
`,
};
