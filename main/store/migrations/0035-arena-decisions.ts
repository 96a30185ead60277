import type { Migration } from './migration.ts';

/**
 * What a person decided about the candidates of an arena while its plan ran: from which budget on one is paused,
 * pinned or free, and candidates that were added, with their code.
 */
export const arenaDecisions: Migration = {
  version: 35,
  sql: `
create table arena_decisions (
  plan_id text not null references plans on delete cascade, position integer not null, arena text not null,
  at integer not null, candidate text not null,
  mode text not null check (mode in ('free', 'paused', 'pinned')), code text, created_at integer not null,
  primary key (plan_id, position)
) strict, without rowid;
`,
};
