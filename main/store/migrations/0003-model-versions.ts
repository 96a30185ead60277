import type { Migration } from './migration.ts';

/**
 * A folder whose files have changed can be added again as another model: runs that were made from the first
 * one go on naming that.
 */
export const modelVersions: Migration = {
  version: 3,
  sql: `
create table new_models (
  id text primary key, name text not null, path text not null, hash text not null, facts text not null,
    created_at integer not null, unique (path, hash)
) strict;
insert into new_models select id, name, path, hash, facts, created_at from models;
drop table models;
alter table new_models rename to models;
`,
};
