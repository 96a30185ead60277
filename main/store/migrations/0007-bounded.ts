import type { Migration } from './migration.ts';

/**
 * Makes queries at each key press independent of the set's size, by counters and indexes. The log of labels
 * remains the source: triggers derive a pair's verdict from it, and the set's counts from that. `visible` =
 * 0: being made, or being removed in the background; rows left by a crash are deleted at the next opening.
 */
export const bounded: Migration = {
  version: 7,
  sql: `
alter table runs add column visible integer not null default 1;
alter table label_sets add column visible integer not null default 1;
alter table label_sets add column pairs integer not null default 0;
alter table label_sets add column labeled integer not null default 0;
alter table label_sets add column decided integer not null default 0;
alter table label_sets add column lefts integer not null default 0;
alter table pairs add column verdict text;
alter table pairs add column verdict_sequence integer;
alter table label_events add column set_id text;

drop trigger label_events_are_immutable;
update label_events set set_id = (select p.set_id from pairs p where p.id = label_events.pair_id);
update pairs set verdict = v.verdict, verdict_sequence = v.sequence from verdicts v where v.pair_id = pairs.id;
update label_sets set (pairs, labeled, decided, lefts) = (
  select count(*), count(verdict), coalesce(sum(verdict in ('a', 'b')), 0),
    coalesce(sum(verdict = left_is), 0) from pairs where set_id = label_sets.id);
create trigger label_events_are_immutable before update on label_events begin select raise(abort, 'labels are append-only'); end;

create index pairs_to_label on pairs (set_id, position) where verdict is null;
create index pairs_by_verdict on pairs (set_id, verdict_sequence) where verdict is not null;
create index label_events_by_set on label_events (set_id, sequence);
create index label_events_by_labeler on label_events (set_id, labeler, sequence);
create index label_sets_by_source on label_sets (dataset_id, run_id);
create index trajectories_of_evaluation on trajectories (prompt_id, run_id) where purpose = 'evaluation';
create index checkpoints_by_path on checkpoints (path);
create index run_inputs_by_artifact on run_inputs (artifact) where artifact is not null;

create trigger label_event_stands after insert on label_events begin
  update pairs set (verdict, verdict_sequence) = (
    select e.verdict, e.sequence from label_events e
    where e.pair_id = new.pair_id and e.event <> 'undo' and not exists (select 1 from label_events u where u.undoes = e.sequence)
    order by e.sequence desc limit 1) where id = new.pair_id;
end;
create trigger pair_verdict_is_counted after update of verdict on pairs when old.verdict is not new.verdict begin
  update label_sets set
    labeled = labeled + (new.verdict is not null) - (old.verdict is not null),
    decided = decided + coalesce(new.verdict in ('a', 'b'), 0) - coalesce(old.verdict in ('a', 'b'), 0),
    lefts = lefts + coalesce(new.verdict = new.left_is, 0) - coalesce(old.verdict = old.left_is, 0)
  where id = new.set_id;
end;
`,
};
