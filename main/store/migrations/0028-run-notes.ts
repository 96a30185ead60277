import type { Migration } from './migration.ts';

/**
 * The question that a run is to answer, and its conclusion; and a log of what happened to a run that is not in
 * other tables: changes of its state, and the first time that an attempt was in a phase. `detail` of a state is
 * its error as JSON.
 */
export const runNotes: Migration = {
  version: 28,
  sql: `
alter table runs add column question text not null default '';
alter table runs add column conclusion text not null default '';

create table run_log (
  id integer primary key, run_id text not null references runs on delete cascade, at integer not null,
  attempt integer not null, step integer not null, kind text not null check (kind in ('state', 'phase')),
  text text not null, detail text
) strict;
create index run_log_by_run on run_log (run_id, kind, attempt, text);
create trigger run_state_is_logged after update of state on runs when new.state <> old.state and new.visible = 1
begin
  insert into run_log (run_id, at, attempt, step, kind, text, detail)
    values (new.id, cast(unixepoch('subsec') * 1000 as integer), new.attempt, new.step, 'state', new.state, new.error);
end;
`,
};
