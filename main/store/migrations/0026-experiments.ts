import type { Migration } from './migration.ts';

/**
 * Runs wait in an order of their own, in a queue that can be paused; experiments make several runs from one
 * specification, and keep the decisions of successive halving; a run may begin from the training state of
 * another run's checkpoint.
 */
export const experiments: Migration = {
  version: 26,
  sql: `
alter table runs add column place integer;
create table queue (
  id integer primary key check (id = 1), paused text check (paused in ('asked', 'restart')),
  at_once integer not null default 1 check (at_once >= 1)
) strict;
insert into queue (id) values (1);
create table run_forks (
  run_id text primary key references runs on delete cascade, checkpoint_id text not null, parent_id text not null,
  step integer not null, carries text not null check (carries in ('state', 'weights'))
) strict;
create table experiments (
  id text primary key, name text not null, spec text not null, created_at integer not null,
  stopped integer not null default 0
) strict;
create table experiment_runs (
  run_id text primary key references runs on delete cascade, experiment_id text not null references experiments on delete cascade,
  configuration integer not null, seed integer not null, rung integer not null
) strict;
create index experiment_runs_by_experiment on experiment_runs (experiment_id);
create table experiment_decisions (
  experiment_id text not null references experiments on delete cascade, rung integer not null, decision text not null,
  at integer not null, primary key (experiment_id, rung)
) strict, without rowid;
`,
};
