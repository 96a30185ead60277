import type { Migration } from './migration.ts';

/** Adds the unmapped columns of an imported record, as JSON, so that no data of a file is lost. */
export const extraColumns: Migration = { version: 6, sql: 'alter table dataset_rows add column extra text;' };
