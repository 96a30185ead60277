import type { Migration } from './migration.ts';

/**
 * Columns of the sampled answers of runs as packed arrays, in parts of consecutive answers, and a full-text
 * index of them: both are derived, and filled when a run's answers are browsed. A part is valid if it was
 * filled under its run's stamp, which scores computed later increment. The index holds no texts; its rowid is
 * the run's number in the upper bits and the place of the answer in the run in the lower 32. Answers below
 * `texts` are in it.
 */
export const sampleIndex: Migration = {
  version: 24,
  sql: `
create table sampled_runs (
  number integer primary key autoincrement, run_id text not null unique references runs on delete cascade,
  stamp integer not null default 0, texts integer not null default 0
) strict;
create table sample_parts (
  number integer not null references sampled_runs (number) on delete cascade, part integer not null,
  stamp integer not null, count integer not null, attempt integer not null, sequence integer not null,
  position integer not null, primary key (number, part)
) strict, without rowid;
create table sample_columns (
  number integer not null references sampled_runs (number) on delete cascade, name text not null, part integer not null,
  data blob not null, unique (number, name, part)
) strict;
create index sample_columns_by_part on sample_columns (number, part);
create virtual table sample_search using fts5 (
  prompt, answer, content = '', contentless_delete = 1, detail = column, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 0'
);
`,
};
