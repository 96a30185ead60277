import type { Migration } from './migration.ts';

/**
 * Plans make several runs and datasets from one file; each node of a plan keeps what it made, so that the plan
 * resumes at every node.
 */
export const plans: Migration = {
  version: 30,
  sql: `
create table plans (
  id text primary key, name text not null, spec text not null, hash text not null, created_at integer not null,
  stopped integer not null default 0
) strict;
create index plans_by_hash on plans (hash);
create table plan_nodes (
  plan_id text not null references plans on delete cascade, node text not null,
  run_id text references runs on delete set null, dataset_id text references datasets on delete set null,
  error text, primary key (plan_id, node)
) strict, without rowid;
create index plan_nodes_by_run on plan_nodes (run_id);
create index plan_nodes_by_dataset on plan_nodes (dataset_id);
`,
};
