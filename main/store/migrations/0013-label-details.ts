import type { Migration } from './migration.ts';

/**
 * Labels beyond the verdict. A set has a mode and options. An event has details (strength, reasons, …), a
 * value that the mode defines, and for a redo the event that it repeats. In modes other than `pair`, the
 * verdict `a` marks a decision whose content is the value, and `answers` of an item lists all its answers, as
 * they are shown: `[{ "text", "origin", "correct" }]`.
 *
 * `labeler_labels` holds each labeler's current label of an item, derived from the log by a trigger;
 * `labeler_counts` counts them, so that no key press counts rows.
 */
export const labelDetails: Migration = {
  version: 13,
  sql: `
alter table label_sets add column mode text not null default 'pair';
alter table label_sets add column options text not null default '{}';
alter table label_events add column details text;
alter table label_events add column value text;
alter table label_events add column redoes integer;
alter table pairs add column answers text;
alter table pairs add column labelers integer not null default 0;

create table labeler_labels (
  pair_id text not null references pairs on delete cascade, set_id text not null, labeler text not null,
  sequence integer not null, verdict text not null, is_left integer not null,
  primary key (pair_id, labeler)
) strict, without rowid;
create table labeler_counts (
  set_id text not null references label_sets on delete cascade, labeler text not null,
  labeled integer not null default 0, decided integer not null default 0, lefts integer not null default 0,
  primary key (set_id, labeler)
) strict, without rowid;

insert into labeler_labels
  select e.pair_id, p.set_id, e.labeler, e.sequence, e.verdict, e.verdict = p.left_is
  from standing_labels e join pairs p on p.id = e.pair_id
  where not exists (select 1 from standing_labels n
    where n.pair_id = e.pair_id and n.labeler = e.labeler and n.sequence > e.sequence);
insert into labeler_counts
  select set_id, labeler, count(*), sum(verdict in ('a', 'b')), sum(is_left) from labeler_labels group by set_id, labeler;
update pairs set labelers = n.count
  from (select pair_id, count(*) count from labeler_labels group by pair_id) n where n.pair_id = pairs.id;

create index labeler_labels_by_set on labeler_labels (set_id, sequence);
create index pairs_by_labelers on pairs (set_id, position, labelers, id);

create trigger labeler_label_is_counted after insert on labeler_labels begin
  insert into labeler_counts values (new.set_id, new.labeler, 1, new.verdict in ('a', 'b'), new.is_left)
    on conflict do update set labeled = labeled + 1, decided = decided + excluded.decided, lefts = lefts + excluded.lefts;
end;
create trigger labeler_label_is_discounted after delete on labeler_labels begin
  update labeler_counts set labeled = labeled - 1, decided = decided - (old.verdict in ('a', 'b')), lefts = lefts - old.is_left
    where set_id = old.set_id and labeler = old.labeler;
end;
drop trigger label_event_stands;
create trigger label_event_stands after insert on label_events begin
  delete from labeler_labels where pair_id = new.pair_id and labeler = new.labeler;
  insert into labeler_labels
    select e.pair_id, p.set_id, e.labeler, e.sequence, e.verdict, e.verdict = p.left_is
    from label_events e join pairs p on p.id = e.pair_id
    where e.pair_id = new.pair_id and e.labeler = new.labeler and e.event <> 'undo'
      and not exists (select 1 from label_events u where u.undoes = e.sequence)
    order by e.sequence desc limit 1;
  update pairs set
    labelers = (select count(*) from labeler_labels l where l.pair_id = new.pair_id),
    (verdict, verdict_sequence) = (
      select e.verdict, e.sequence from label_events e
      where e.pair_id = new.pair_id and e.event <> 'undo' and not exists (select 1 from label_events u where u.undoes = e.sequence)
      order by e.sequence desc limit 1)
    where id = new.pair_id;
end;
`,
};
