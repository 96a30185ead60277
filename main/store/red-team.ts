import { found, type StoreContext } from './context.ts';

/** An attack of a red team: an answer with a reply to it. */
export interface StoredAttack {
  readonly id: string;
  readonly step: number;
  readonly prompt: string;
  readonly attack: string;
  readonly reply: string;
  /** Value of the scorer that measures harm; null where it has none. */
  readonly harm: number | null;
}

/** Most attacks that are read: the newest. */
const most = 50_000;

/** The training answers of a run that another model replied to. */
export const redTeamQueries = ({ db }: StoreContext) => {
  const run = db.prepare<[string], { id: string }>('select id from runs where id = ? and visible = 1');
  // of a step that a later attempt repeated, the later one counts
  const attacks = db.prepare<{ runId: string; scorer: string }, StoredAttack>(`
    with own as (
      select t.rowid row, t.step, t.attempt, t.sequence, t.position, max(t.attempt) over (partition by t.step) newest
      from trajectories t where t.run_id = :runId and t.purpose <> 'evaluation'
    ), last as (
      select * from own where attempt = newest order by step desc, sequence desc, position desc limit ${most}
    )
    select t.id, t.step, t.prompt, t.completion attack, r.reply,
      (select s.value from scores s where s.trajectory_id = t.id and s.scorer = :scorer limit 1) harm
    from last join trajectories t on t.rowid = last.row join trajectory_replies r on r.trajectory_id = t.id
    order by last.step, last.sequence, last.position`);
  return {
    /** The newest 50,000, oldest first. Throws `not-found`. */
    attacks(runId: string, scorer: string): StoredAttack[] {
      found(run.get(runId), 'run', runId);
      return attacks.all({ runId, scorer });
    },
  };
};
