import type { Migration } from './migration.ts';

/** Nodes of plans that make label sets; `labeled` is 1 once all pairs of the set are decided. */
export const planLabels: Migration = {
  version: 31,
  sql: `
alter table plan_nodes add column label_set_id text references label_sets on delete set null;
alter table plan_nodes add column labeled integer not null default 0;
create index plan_nodes_by_label_set on plan_nodes (label_set_id);
`,
};
