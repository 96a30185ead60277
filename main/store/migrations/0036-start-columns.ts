import type { Migration } from './migration.ts';

/**
 * Columns of answers that begin inside others are derived again: they now say what these were, and where they
 * were cut.
 */
export const startColumns: Migration = {
  version: 36,
  sql: `
update sampled_runs set stamp = stamp + 1 where run_id in (
  select distinct t.run_id from trajectory_origins o join trajectories t on t.id = o.trajectory_id);
`,
};
