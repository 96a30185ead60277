import type { Migration } from './migration.ts';

/** Adds conversations of rows, as JSON. */
export const conversations: Migration = {
  version: 4,
  sql: 'alter table dataset_rows add column messages text;',
};
