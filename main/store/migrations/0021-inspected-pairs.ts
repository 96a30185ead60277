import type { Migration } from './migration.ts';

/**
 * The pairs behind a reward model's inspection: numbers and texts apart, since marks, orders and slices read the
 * numbers of all pairs. `inspections` names the attempt whose pairs are stored whole.
 */
export const inspectedPairs: Migration = {
  version: 21,
  sql: `
create table inspections (
  run_id text primary key references runs on delete cascade, attempt integer not null, pairs integer not null
) strict, without rowid;
create table inspected_pairs (
  run_id text not null references runs on delete cascade, attempt integer not null, position integer not null,
  pair_id text not null, chosen_score real, rejected_score real, odds real, chosen_tokens real, rejected_tokens real,
  chosen_correct real, rejected_correct real, verdict real, weight real, strength real, prompt_number real,
  chosen_number real, rejected_number real,
  primary key (run_id, attempt, position)
) strict, without rowid;
-- pairs that two inspections share are found by their ids
create index inspected_pairs_by_pair on inspected_pairs (run_id, attempt, pair_id);
create table inspected_texts (
  run_id text not null references runs on delete cascade, attempt integer not null, position integer not null,
  prompt_id text not null, prompt text not null, chosen text not null, rejected text not null,
  unique (run_id, attempt, position)
) strict;
`,
};
