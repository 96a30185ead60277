import type { Migration } from './migration.ts';

/**
 * Datasets that further evaluations of a run measure, by the evaluation's name: in addition to the one that the run
 * trains on, and in files of their own. Empty for everything else.
 */
export const evaluationInputs: Migration = {
  version: 34,
  sql: `
create table new_run_inputs (
  run_id text not null references runs on delete cascade, kind text not null check (kind in ('checkpoint',
    'dataset', 'label-set', 'model')),
  ref text not null, hash text not null, artifact text, evaluation text not null default '',
  primary key (run_id, kind, ref, evaluation)
) strict, without rowid;
insert into new_run_inputs (run_id, kind, ref, hash, artifact)
  select run_id, kind, ref, hash, artifact from run_inputs;
drop table run_inputs;
alter table new_run_inputs rename to run_inputs;
create index run_inputs_by_ref on run_inputs (kind, ref);
create index run_inputs_by_artifact on run_inputs (artifact) where artifact is not null;
`,
};
