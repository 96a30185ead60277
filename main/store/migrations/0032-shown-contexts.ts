import type { Migration } from './migration.ts';

/** The text that a model was shown in place of a prompt: earlier answers, feedback, the right answer. */
export const shownContexts: Migration = {
  version: 32,
  sql: `
create table trajectory_contexts (
  trajectory_id text primary key references trajectories on delete cascade, shown text not null
) strict;
create trigger trajectory_contexts_are_immutable before update on trajectory_contexts
  begin select raise(abort, 'trajectories are immutable'); end;
`,
};
