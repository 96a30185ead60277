import type { Migration } from './migration.ts';

/**
 * Versions of datasets. A version is its recipe: the imported file (the dataset's hash) and the events that
 * held at `sequence`. `hash` is that of its rows, so that a version built from its recipe can be checked.
 */
export const datasetVersions: Migration = {
  version: 12,
  sql: `
create table dataset_versions (
  id text primary key, dataset_id text not null references datasets on delete cascade, name text not null,
  sequence integer not null, hash text not null, rows integer not null, author text not null, created_at integer not null,
  unique (dataset_id, name)
) strict;
create trigger dataset_versions_are_immutable before update on dataset_versions
  begin select raise(abort, 'versions are immutable'); end;
`,
};
