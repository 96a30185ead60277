import type { Migration } from './migration.ts';

/**
 * Columns of datasets as typed arrays, derived from the rows in parts of 8,192, for queries and facets. They
 * are filled in the background; a part's columns are valid if they were filled in its generation, which each
 * change of one of its rows increments.
 */
export const rowColumns: Migration = {
  version: 10,
  sql: `
create table row_parts (
  number integer not null references dataset_numbers (number) on delete cascade, part integer not null,
  generation integer not null default 0, filled integer not null default -1, primary key (number, part)
) strict, without rowid;
create table row_columns (
  number integer not null references dataset_numbers (number) on delete cascade, name text not null, part integer not null,
  kind text not null check (kind in ('number', 'category', 'text')), data blob not null, unique (number, name, part)
) strict;
create index row_columns_by_part on row_columns (number, part);
`,
};
