import type { Migration } from './migration.ts';

/**
 * Runs that were read from other tools' logs. `hash` identifies the content, so that it is not imported twice;
 * `origin` and `config` are JSON. Their rows of `runs` have the specification `null`.
 */
export const runImports: Migration = {
  version: 22,
  sql: `
create table run_imports (
  run_id text primary key references runs on delete cascade, hash text not null, origin text not null, config text
) strict, without rowid;
create index run_imports_by_hash on run_imports (hash);
`,
};
