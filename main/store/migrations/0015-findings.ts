import type { Migration } from './migration.ts';

/**
 * Findings of the data doctor: of each examination the rows of each finding as bit sets of 8,192 rows, and
 * groups as 32-bit numbers (size, number of rows to keep, rows). `steps`: the curation events that held. `visible` = 0:
 * an examination that is being stored.
 *
 * Computed columns: an edit event with a definition, and its cells in parts of 8,192 rows. The newest applied
 * event of a name gives a column its cells; undoing it takes the column away.
 */
export const findings: Migration = {
  version: 15,
  sql: `
create table examinations (
  id integer primary key autoincrement, dataset_id text not null references datasets on delete cascade,
  at integer not null, steps text not null, summary text not null, visible integer not null default 0
) strict;
create index examinations_by_dataset on examinations (dataset_id);
create table finding_rows (
  examination integer not null references examinations on delete cascade, name text not null, part integer not null,
  rows blob not null, primary key (examination, name, part)
) strict, without rowid;
create table finding_groups (
  examination integer not null references examinations on delete cascade, name text not null, groups blob not null,
  primary key (examination, name)
) strict;
create table computed_columns (
  event integer primary key references curation_events on delete cascade,
  dataset_id text not null references datasets on delete cascade, name text not null, definition text not null
) strict;
create index computed_columns_by_dataset on computed_columns (dataset_id);
create table computed_cells (
  event integer not null references computed_columns on delete cascade, part integer not null,
  kind text not null check (kind in ('number', 'json')), data blob not null, primary key (event, part)
) strict, without rowid;
create trigger computed_columns_are_immutable before update on computed_columns
  begin select raise(abort, 'curation is append-only'); end;
create trigger computed_cells_are_immutable before update on computed_cells
  begin select raise(abort, 'curation is append-only'); end;
`,
};
