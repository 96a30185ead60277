import type { StoreContext } from './context.ts';

/** Answers that one role sampled for one update. */
export interface RoleStep {
  readonly role: string;
  readonly step: number;
  readonly answers: number;
}

/** What a role was shown, and wrote about it. `agrees`: its score `verdict`; null without one. */
export interface StoredReply {
  readonly id: string;
  readonly step: number;
  readonly prompt: string;
  readonly shown: string;
  readonly written: string;
  readonly agrees: number | null;
}

interface RepliesQuery {
  readonly runId: string;
  readonly role: string;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The training answers of a run whose roles take turns. A step counts in its newest attempt alone. */
export const verdictQueries = ({ db }: StoreContext) => {
  const newest = `
    newest as (select step, max(attempt) attempt from trajectories
      where run_id = :runId and purpose = 'train' group by step)`;
  const turns = db.prepare<[{ readonly runId: string }], RoleStep>(`
    with ${newest}
    select t.role, t.step, count(*) answers from trajectories t join newest using (step, attempt)
    where t.run_id = :runId and t.purpose = 'train' group by t.step, t.role order by t.step, t.role`);
  const replies = db.prepare<[RepliesQuery], StoredReply>(`
    with ${newest}, numbered as (
      select t.id, t.step, t.prompt, t.completion, count(*) over () total,
        row_number() over (order by t.step, t.sequence, t.position) - 1 place
      from trajectories t join newest using (step, attempt)
      where t.run_id = :runId and t.role = :role and t.purpose = 'train' and t.step between :from and :to)
    select n.id, n.step, n.prompt, coalesce(c.shown, n.prompt) shown, n.completion written,
      (select value from scores where trajectory_id = n.id and scorer = 'verdict') agrees
    from numbered n left join trajectory_contexts c on c.trajectory_id = n.id
    -- the first of each of \`limit\` equal parts
    where n.place = 0 or floor(n.place * :limit / n.total) > floor((n.place - 1) * :limit / n.total)
    order by n.place`);
  return {
    turns: (runId: string): RoleStep[] => turns.all({ runId }),
    /** Replies of a role in steps `from` to `to`, at most `limit` of them, evenly over all. */
    replies: (query: RepliesQuery): StoredReply[] => replies.all(query),
  };
};
