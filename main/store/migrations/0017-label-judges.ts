import type { Migration } from './migration.ts';

/**
 * The judge that learns from the labels of a set, and the order of its queue. `source` names the features that
 * a judge learns from: a model by its hash, or statistics of the text. Everything here can be computed again
 * from the labels.
 *
 * `queue_places` holds the first items of the order by their positions in the set; the others follow by
 * position. `judge_opinions` holds what the newest judge says about labeled pairs by a head that did not learn
 * from the pair's prompt; one counts only while `sequence` is the pair's current label.
 */
export const labelJudges: Migration = {
  version: 17,
  sql: `
alter table label_sets add column judge text not null default '{}';

create table judge_features (
  set_id text not null references label_sets on delete cascade, source text not null, first integer not null,
  count integer not null, width integer not null, too_long integer not null, path text not null,
  primary key (set_id, source, first)
) strict, without rowid;
create index judge_features_by_path on judge_features (path);
create table judge_fits (
  set_id text not null references label_sets on delete cascade, source text not null, sequence integer not null,
  labels integer not null, left_out integer not null, accuracy real, low real, high real, at integer not null,
  curve text not null, head blob,
  primary key (set_id, source, sequence)
) strict;
create table judge_opinions (
  pair_id text primary key references pairs on delete cascade, set_id text not null, sequence integer not null,
  probability real not null, against real
) strict, without rowid;
create index judge_opinions_against on judge_opinions (set_id, against desc, sequence) where against > 0.5;
create table judge_orders (
  set_id text primary key references label_sets on delete cascade, settings text not null, sequence integer not null,
  fit_sequence integer, candidates integer not null, at integer not null
) strict, without rowid;
create table queue_places (
  set_id text not null references label_sets on delete cascade, place integer not null, position integer not null,
  primary key (set_id, place)
) strict, without rowid;
`,
};
