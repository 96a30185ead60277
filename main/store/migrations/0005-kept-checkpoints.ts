import type { Migration } from './migration.ts';

/** Adds the user's mark that spares a checkpoint from the retention rule. */
export const keptCheckpoints: Migration = {
  version: 5,
  sql: 'alter table checkpoints add column kept integer not null default 0;',
};
