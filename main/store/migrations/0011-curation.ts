import type { Migration } from './migration.ts';

/**
 * Curation of datasets as an append-only log. Excluded rows, tags, flags and splits are bit sets of 8,192
 * rows; an event stores the bits that it toggled, and the cells that it changed with their former values, so
 * that each can be undone and the imported rows remain recoverable. `visible` = 0: an event in the making.
 */
export const curation: Migration = {
  version: 11,
  sql: `
create table row_marks (
  number integer not null references dataset_numbers (number) on delete cascade, name text not null, part integer not null,
  rows blob not null, primary key (number, name, part)
) strict, without rowid;
create table row_notes (
  number integer not null references dataset_numbers (number) on delete cascade, row integer not null, note text not null,
  primary key (number, row)
) strict, without rowid;
create table curation_events (
  sequence integer primary key autoincrement, dataset_id text not null references datasets on delete cascade,
  event text not null check (event in (
    'exclude', 'restore', 'tag', 'untag', 'flag', 'unflag', 'split', 'note', 'edit', 'add', 'undo', 'redo')),
  field text, value text, undoes integer references curation_events on delete cascade, author text not null, at integer not null,
  query text, rows integer not null, visible integer not null default 1,
  check ((event in ('undo', 'redo')) = (undoes is not null))
) strict;
create index curation_events_by_dataset on curation_events (dataset_id, sequence);
create index curation_events_by_undone on curation_events (undoes) where undoes is not null;
create table curation_marks (
  event integer not null references curation_events on delete cascade, name text not null, part integer not null,
  rows blob not null, primary key (event, name, part)
) strict, without rowid;
create table curation_cells (
  event integer not null references curation_events on delete cascade, row integer not null, field text not null,
  before text, after text, primary key (event, row, field)
) strict, without rowid;
create trigger curation_events_are_immutable
  before update of dataset_id, event, field, value, undoes, author, at, query on curation_events
  begin select raise(abort, 'curation is append-only'); end;
create trigger curation_marks_are_immutable before update on curation_marks
  begin select raise(abort, 'curation is append-only'); end;
create trigger curation_cells_are_immutable before update on curation_cells
  begin select raise(abort, 'curation is append-only'); end;
`,
};
