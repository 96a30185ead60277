import type { Migration } from './migration.ts';

/**
 * Repeats, gold items and adjudication. An event has a role: null for a label, `repeat` for a decision on an
 * item that its labeler has decided before (`repeat_id`), `adjudication` for a decision that settles a
 * dispute. Only events without a role are labels of a labeler; the others never replace or count as one.
 *
 * `repeats`, `adjudications` and the verdict of a pair are derived from the log by triggers. The verdict of a
 * pair is its adjudication, or else the consensus of its labelers' current labels (`pair_consensus`): the
 * newest one; or the verdict of most labelers, skips last, the newest of equally many; `reliability` prefers
 * the verdict in `pair_reliabilities` while no label was given since it was estimated.
 */
export const labelQuality: Migration = {
  version: 18,
  sql: `
alter table label_sets add column consensus text
  generated always as (coalesce(json_extract(options, '$.consensus'), 'newest')) virtual;
alter table label_events add column role text check (role in ('repeat', 'adjudication'));
alter table label_events add column repeat_id text;
alter table pairs add column disputed integer not null default 0;

create table repeats (
  id text primary key, pair_id text not null references pairs on delete cascade, set_id text not null,
  labeler text not null, place integer not null, left_is text not null check (left_is in ('a', 'b')),
  sequence integer, verdict text, unique (pair_id, labeler)
) strict, without rowid;
create index repeats_by_labeler on repeats (set_id, labeler, place);
create index label_events_by_repeat on label_events (repeat_id, sequence) where repeat_id is not null;
create table repeat_counts (
  set_id text not null references label_sets on delete cascade, labeler text not null,
  made integer not null default 0, decided integer not null default 0, sided integer not null default 0,
  lefts integer not null default 0, primary key (set_id, labeler)
) strict, without rowid;
create table gold_items (
  pair_id text primary key references pairs on delete cascade, set_id text not null, verdict text not null,
  source text not null, at integer not null
) strict, without rowid;
create index gold_items_by_set on gold_items (set_id);
create table adjudications (
  pair_id text primary key references pairs on delete cascade, set_id text not null, labeler text not null,
  sequence integer not null, verdict text not null
) strict, without rowid;
create index adjudications_by_set on adjudications (set_id, sequence);
create table pair_reliabilities (
  pair_id text primary key references pairs on delete cascade, set_id text not null, verdict text not null,
  posterior text not null
) strict, without rowid;
create index pair_reliabilities_by_set on pair_reliabilities (set_id);

create view pair_consensus as
  select p.id pair_id, coalesce(
    (select a.sequence from adjudications a where a.pair_id = p.id),
    (select l.sequence from labeler_labels l where l.pair_id = p.id order by
      case s.consensus when 'newest' then 0 else l.verdict <> 'skip' end desc,
      case s.consensus when 'reliability'
        then (select count(*) from pair_reliabilities r where r.pair_id = p.id and r.verdict = l.verdict) else 0 end desc,
      case s.consensus when 'newest' then 0
        else (select count(*) from labeler_labels v where v.pair_id = p.id and v.verdict = l.verdict) end desc,
      l.sequence desc limit 1)) sequence
  from pairs p join label_sets s on s.id = p.set_id;
create view pair_disputes as
  select p.id pair_id, (s.mode <> 'rewrite' and p.labelers > 1 and (
    select count(distinct l.verdict || coalesce(e.value, '')) from labeler_labels l
    join label_events e on e.sequence = l.sequence where l.pair_id = p.id and l.verdict <> 'skip') > 1) disputed
  from pairs p join label_sets s on s.id = p.set_id;
update pairs set disputed = (select d.disputed from pair_disputes d where d.pair_id = pairs.id) where labelers > 1;
create index pairs_disputed on pairs (set_id, position) where disputed = 1;

create trigger repeat_is_made after insert on repeats begin
  insert into repeat_counts (set_id, labeler, made) values (new.set_id, new.labeler, 1)
    on conflict do update set made = made + 1;
end;
create trigger repeat_is_counted after update of verdict, sequence on repeats begin
  update repeat_counts set
    decided = decided + (new.sequence is not null) - (old.sequence is not null),
    sided = sided + coalesce(new.verdict in ('a', 'b'), 0) - coalesce(old.verdict in ('a', 'b'), 0),
    lefts = lefts + coalesce(new.verdict = new.left_is, 0) - coalesce(old.verdict = old.left_is, 0)
    where set_id = new.set_id and labeler = new.labeler;
end;

drop trigger label_event_stands;
create trigger label_event_stands after insert on label_events when new.role is null begin
  delete from pair_reliabilities where pair_id = new.pair_id;
  delete from labeler_labels where pair_id = new.pair_id and labeler = new.labeler;
  insert into labeler_labels
    select e.pair_id, p.set_id, e.labeler, e.sequence, e.verdict, e.verdict = p.left_is
    from label_events e join pairs p on p.id = e.pair_id
    where e.pair_id = new.pair_id and e.labeler = new.labeler and e.event <> 'undo' and e.role is null
      and not exists (select 1 from label_events u where u.undoes = e.sequence)
    order by e.sequence desc limit 1;
  update pairs set labelers = (select count(*) from labeler_labels l where l.pair_id = new.pair_id)
    where id = new.pair_id;
  update pairs set
    disputed = (select d.disputed from pair_disputes d where d.pair_id = new.pair_id),
    (verdict, verdict_sequence) = (
      select e.verdict, e.sequence from pair_consensus c join label_events e on e.sequence = c.sequence
      where c.pair_id = new.pair_id)
    where id = new.pair_id;
end;
create trigger repeat_event_stands after insert on label_events when new.role = 'repeat' begin
  update repeats set (verdict, sequence) = (
    select e.verdict, e.sequence from label_events e where e.repeat_id = new.repeat_id and e.event <> 'undo'
      and not exists (select 1 from label_events u where u.undoes = e.sequence)
    order by e.sequence desc limit 1) where id = new.repeat_id;
end;
create trigger adjudication_event_stands after insert on label_events when new.role = 'adjudication' begin
  delete from adjudications where pair_id = new.pair_id;
  insert into adjudications
    select e.pair_id, e.set_id, e.labeler, e.sequence, e.verdict from label_events e
    where e.pair_id = new.pair_id and e.role = 'adjudication' and e.event <> 'undo'
      and not exists (select 1 from label_events u where u.undoes = e.sequence)
    order by e.sequence desc limit 1;
  update pairs set (verdict, verdict_sequence) = (
      select e.verdict, e.sequence from pair_consensus c join label_events e on e.sequence = c.sequence
      where c.pair_id = new.pair_id)
    where id = new.pair_id;
end;
`,
};
