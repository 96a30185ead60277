import type { Migration } from './migration.ts';

/**
 * Columns named `at`, `*_at` are UTC epoch milliseconds. A NULL metric or score is NaN, which SQLite cannot
 * store.
 */
export const first: Migration = {
  version: 1,
  sql: `
create table workspace (
  one integer primary key check (one = 1), id text not null, name text not null, created_at integer not null
) strict;

-- Datasets. One that is being imported is staged: it becomes visible in the transaction that ends the import.
create table datasets (
  id text primary key, name text not null, source text not null, hash text not null, created_at integer not null,
  rows integer not null, doctor text not null, visible integer not null default 0
) strict;
create table dataset_rows (
  dataset_id text not null references datasets on delete cascade, row integer not null, line integer not null,
  prompt_id text not null, prompt text not null, answer text not null, reference text, correct integer, source text not null,
  unique (dataset_id, row)
) strict;
create index dataset_rows_by_prompt on dataset_rows (dataset_id, prompt_id);
create table dataset_rejected (
  dataset_id text not null references datasets on delete cascade, line integer not null, reason text not null, text text not null
) strict;
create index dataset_rejected_by_dataset on dataset_rejected (dataset_id, line);

-- Runs.
create table runs (
  id text primary key, name text not null, notes text not null default '', tags text not null default '[]',
    archived integer not null default 0,
  state text not null check (state in ('queued', 'running', 'stopping', 'stopped', 'interrupted', 'failed', 'done')),
  method text not null, spec text not null, created_at integer not null, queued_at integer not null, started_at integer, ended_at integer,
  attempt integer not null default 0, step integer not null default 0, total_steps integer, phase text not null default '',
  seconds_left real, parameters integer, error text
) strict;
create index runs_by_state on runs (state, queued_at);
-- What a run was made from: id and content hash, and the file that was handed to the engine (relative to the workspace).
create table run_inputs (
  run_id text not null references runs on delete cascade, kind text not null check (kind in ('checkpoint', 'dataset', 'label-set')),
  ref text not null, hash text not null, artifact text, primary key (run_id, kind, ref)
) strict, without rowid;
create index run_inputs_by_ref on run_inputs (kind, ref);
-- Events up to last_sequence are committed; one that comes again is dropped.
create table attempts (
  run_id text not null references runs on delete cascade, attempt integer not null, started_at integer not null,
  resumed_from text, last_sequence integer not null default 0, primary key (run_id, attempt)
) strict, without rowid;

-- Metrics: the tail in narrow rows, the rest in chunks of float64 columns.
create table metric_series (
  id integer primary key, run_id text not null references runs on delete cascade, role text not null, name text not null,
  unique (run_id, role, name)
) strict;
create table metric_points (
  series_id integer not null references metric_series on delete cascade, attempt integer not null, sequence integer not null,
  step real not null, at real not null, value real, primary key (series_id, attempt, sequence)
) strict, without rowid;
create table metric_chunks (
  series_id integer not null references metric_series on delete cascade, attempt integer not null, first_sequence integer not null,
  first_step real not null, last_step real not null, count integer not null, non_finite integer not null,
  low real, high real, sum real not null, steps blob not null, ats blob not null, vals blob not null,
  primary key (series_id, attempt, first_sequence)
) strict;

-- Trajectories are immutable; token arrays lie in segment files. Scores are append-only.
create table trajectories (
  id text primary key, run_id text not null references runs on delete cascade, attempt integer not null,
    sequence integer not null, position integer not null,
  role text not null, policy_version text not null, step integer not null,
    purpose text not null check (purpose in ('train', 'evaluation', 'sample')),
  prompt_id text not null, sample integer not null, prompt text not null, completion text not null,
  token_count integer not null, prompt_length integer not null, logp real, stop_reason text not null, temperature real not null,
  segment text not null, token_offset integer not null, logp_offset integer not null
) strict;
create index trajectories_by_run on trajectories (run_id, attempt, sequence, position);
create index trajectories_by_prompt on trajectories (run_id, purpose, prompt_id);
create index trajectories_by_segment on trajectories (segment);
create trigger trajectories_are_immutable before update on trajectories begin select raise(abort, 'trajectories are immutable'); end;
create table scores (
  trajectory_id text not null references trajectories on delete cascade, scorer text not null, scorer_hash text not null, value real,
  primary key (trajectory_id, scorer, scorer_hash)
) strict, without rowid;
create trigger scores_are_immutable before update on scores begin select raise(abort, 'scores are append-only'); end;

create table checkpoints (
  id text primary key, run_id text not null references runs on delete cascade, attempt integer not null, step integer not null,
  path text not null, hash text not null, bytes integer not null, parameters integer not null,
  head text not null check (head in ('next-token', 'reward')), final integer not null, created_at integer not null,
  unique (run_id, path)
) strict;

create table results (
  run_id text not null references runs on delete cascade, attempt integer not null, sequence integer not null, step integer not null,
  kind text not null, value text not null, at integer not null, primary key (run_id, attempt, sequence)
) strict;

-- Labels: an append-only log of events; the verdict that holds is a view.
create table label_sets (
  id text primary key, name text not null, created_at integer not null, seed integer not null,
  run_id text references runs, dataset_id text references datasets
) strict;
create table pairs (
  id text primary key, set_id text not null references label_sets on delete cascade, position integer not null,
  prompt_id text not null, prompt text not null, a text not null, b text not null,
  -- The trajectories or dataset rows that the answers are.
  origin_a text not null, origin_b text not null, correct_a integer, correct_b integer,
  -- Which answer is shown on the left.
  left_is text not null check (left_is in ('a', 'b')), unique (set_id, position)
) strict;
create table label_events (
  sequence integer primary key autoincrement, pair_id text not null references pairs on delete cascade,
  event text not null check (event in ('label', 'correction', 'undo')),
  verdict text check (verdict in ('a', 'b', 'tie', 'both-bad', 'skip')), undoes integer references label_events,
  at integer not null, seconds real, labeler text not null, rationale text not null default '',
  check ((event = 'undo') = (verdict is null)), check ((event = 'undo') = (undoes is not null))
) strict;
create index label_events_by_pair on label_events (pair_id, sequence);
create unique index label_events_by_undone on label_events (undoes) where undoes is not null;
create trigger label_events_are_immutable before update on label_events begin select raise(abort, 'labels are append-only'); end;
create view standing_labels as
  select e.* from label_events e
  where e.event <> 'undo' and not exists (select 1 from label_events u where u.undoes = e.sequence);
create view verdicts as
  select s.pair_id, s.verdict, s.sequence, s.at, s.seconds, s.labeler from standing_labels s
  where not exists (select 1 from standing_labels n where n.pair_id = s.pair_id and n.sequence > s.sequence);
`,
};
