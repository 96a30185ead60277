import type { Migration } from './migration.ts';

/** Where an answer began, if not at its prompt: the answer that it continues or revises, the given beginning. */
export const answerOrigins: Migration = {
  version: 33,
  sql: `
create table trajectory_origins (
  trajectory_id text primary key references trajectories on delete cascade,
  parent text, start_state text, given_tokens integer not null, given_characters integer not null
) strict;
create trigger trajectory_origins_are_immutable before update on trajectory_origins
  begin select raise(abort, 'trajectories are immutable'); end;
`,
};
