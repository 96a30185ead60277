import type { Migration } from './migration.ts';

/** Rows that are conversations keep them as they are, as JSON. */
export const conversations: Migration = {
  version: 4,
  sql: 'alter table dataset_rows add column messages text;',
};
