import type { Migration } from './migration.ts';

/** Lets a folder with changed files be added as another model; runs keep their reference to the first one. */
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
