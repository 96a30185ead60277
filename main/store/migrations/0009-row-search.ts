import type { Migration } from './migration.ts';

/**
 * A full-text index of prompts and answers. It holds no texts: its rowid is the dataset's number in the upper
 * bits and the row in the lower 32, since rowids of other tables change in a backup. Rows below `indexed` are
 * in it; the rest is added in the background.
 */
export const rowSearch: Migration = {
  version: 9,
  sql: `
create table dataset_numbers (
  number integer primary key autoincrement, dataset_id text not null unique references datasets on delete cascade,
  indexed integer not null default 0
) strict;
create virtual table row_search using fts5 (
  prompt, answer, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 0'
);
create index dataset_rows_by_mark on dataset_rows (dataset_id, correct, row);
insert into dataset_numbers (dataset_id) select id from datasets order by id;

create trigger dataset_is_numbered after insert on datasets begin
  insert into dataset_numbers (dataset_id) values (new.id);
end;
create trigger dataset_row_leaves_index after delete on dataset_rows begin
  delete from row_search
  where rowid = (select (number << 32) + old.row from dataset_numbers where dataset_id = old.dataset_id and indexed > old.row);
end;
`,
};
