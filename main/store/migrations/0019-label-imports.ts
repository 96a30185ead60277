import type { Migration } from './migration.ts';

/**
 * Imports of labels, each of them whole or absent. `import_labels` holds labels until they are events; an import
 * whose state is `storing` or `removing` when the file is opened is continued. An event of an import, and the
 * undo of one, names it (`import_id`): neither is a decision that its labeler made by hand. Events of imports
 * before this version name none.
 */
export const labelImports: Migration = {
  version: 19,
  sql: `
create table label_imports (
  id text primary key, set_id text not null references label_sets on delete cascade, at integer not null,
  source text not null, labels integer not null,
  state text not null check (state in ('staged', 'storing', 'stored', 'removing', 'removed'))
) strict, without rowid;
create index label_imports_by_set on label_imports (set_id, at);
create table import_labels (
  import_id text not null references label_imports on delete cascade, place integer not null, pair_id text not null,
  verdict text not null, value text, labeler text not null, at integer not null, rationale text not null,
  primary key (import_id, place)
) strict, without rowid;
alter table label_events add column import_id text;
create index label_events_by_import on label_events (import_id, sequence) where import_id is not null;
create index label_events_by_hand on label_events (set_id, labeler, sequence) where import_id is null;
`,
};
