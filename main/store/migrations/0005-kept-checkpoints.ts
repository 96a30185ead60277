import type { Migration } from './migration.ts';

/** A person's word that a checkpoint stays, whatever its run saves after it. */
export const keptCheckpoints: Migration = {
  version: 5,
  sql: 'alter table checkpoints add column kept integer not null default 0;',
};
