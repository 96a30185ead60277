import type { Migration } from './migration.ts';

/**
 * The rows of each prompt, in place of an index of `dataset_rows`: prompts are in random order of their ids,
 * so an index that grows row by row rewrites a page for nearly every prompt of each transaction. An import
 * fills this table at its end, in the order of its key; triggers keep it for later changes of rows.
 */
export const promptRows: Migration = {
  version: 14,
  sql: `
create table prompt_rows (
  number integer not null references dataset_numbers (number) on delete cascade, prompt_id text not null, row integer not null,
  primary key (number, prompt_id, row)
) strict, without rowid;
insert into prompt_rows select number, prompt_id, row from dataset_rows join dataset_numbers using (dataset_id)
  join datasets on id = dataset_id where visible = 1 order by number, prompt_id, row;
drop index dataset_rows_by_prompt;

create index staged_datasets on datasets (id) where visible = 0;
create trigger prompt_row_is_added after insert on dataset_rows
when not exists (select 1 from datasets where id = new.dataset_id and visible = 0) begin
  insert into prompt_rows select number, new.prompt_id, new.row from dataset_numbers where dataset_id = new.dataset_id;
end;
create trigger prompt_row_is_moved after update of prompt_id on dataset_rows when old.prompt_id <> new.prompt_id begin
  update prompt_rows set prompt_id = new.prompt_id
  where number = (select number from dataset_numbers where dataset_id = old.dataset_id)
    and prompt_id = old.prompt_id and row = old.row;
end;
create trigger prompt_row_is_removed after delete on dataset_rows begin
  delete from prompt_rows
  where number = (select number from dataset_numbers where dataset_id = old.dataset_id)
    and prompt_id = old.prompt_id and row = old.row;
end;

create view rows_by_prompt as
  select n.dataset_id, p.prompt_id, p.row, r.rowid id, r.line, r.prompt, r.answer, r.reference, r.correct, r.source, r.messages, r.extra
  from dataset_numbers n cross join prompt_rows p on p.number = n.number
    cross join dataset_rows r on r.dataset_id = n.dataset_id and r.row = p.row;
`,
};
