import type { Migration } from './migration.ts';

/**
 * Lineage: the recipe of a dataset that was made from others, its parents as they were (the dataset may have
 * been removed since), and the state of the dataset that each run trains on. `dataset_contents` keeps hashes
 * of states by their newest step: a state never changes, and hashing one reads all its rows.
 */
export const lineage: Migration = {
  version: 16,
  sql: `
create table dataset_contents (
  dataset_id text not null references datasets on delete cascade, sequence integer not null, hash text not null,
  rows integer not null, primary key (dataset_id, sequence)
) strict, without rowid;
create table dataset_recipes (
  dataset_id text primary key references datasets on delete cascade, recipe text not null, hash text not null,
  rows integer not null, author text not null, created_at integer not null
) strict, without rowid;
create table dataset_parents (
  dataset_id text not null references dataset_recipes on delete cascade, position integer not null,
  parent_id text not null, name text not null, sequence integer not null, version text, hash text not null,
  rows integer not null, primary key (dataset_id, position)
) strict, without rowid;
create index dataset_parents_by_parent on dataset_parents (parent_id);
create table run_datasets (
  run_id text primary key references runs on delete cascade, dataset_id text not null, name text not null,
  sequence integer not null, version text, hash text not null, rows integer not null
) strict, without rowid;
create index run_datasets_by_dataset on run_datasets (dataset_id);
-- A version of the same rows may have been saved after the launch.
create view run_data as
  select run_id, dataset_id, name, sequence, coalesce(version, (select v.name from dataset_versions v
    where v.dataset_id = s.dataset_id and v.hash = s.hash order by v.id limit 1)) version, hash, rows
  from run_datasets s;
create trigger dataset_recipes_are_immutable before update on dataset_recipes
  begin select raise(abort, 'recipes are immutable'); end;
create trigger run_datasets_are_immutable before update on run_datasets
  begin select raise(abort, 'what a run trained on is immutable'); end;
`,
};
