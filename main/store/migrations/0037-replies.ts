import type { Migration } from './migration.ts';

/** What another model wrote in reply to an answer: the target of an attack. */
export const replies: Migration = {
  version: 37,
  sql: `
create table trajectory_replies (
  trajectory_id text primary key references trajectories on delete cascade, reply text not null
) strict;
create trigger trajectory_replies_are_immutable before update on trajectory_replies
  begin select raise(abort, 'trajectories are immutable'); end;
`,
};
