import type { Migration } from './migration.ts';

/** Columns of an imported record that have no place of their own, as JSON: nothing of a file is lost. */
export const extraColumns: Migration = { version: 6, sql: 'alter table dataset_rows add column extra text;' };
