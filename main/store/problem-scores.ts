import type { Db } from './database.ts';

/** How many of a problem's answers have full marks by one scorer: a score of 1, or more. */
export interface ProblemScores {
  readonly scorer: string;
  readonly problems: readonly { readonly promptId: string; readonly correct: number; readonly n: number }[];
}

/** Per-problem scores of the evaluation of a step, one entry for each scorer and definition of it. */
export const problemScores =
  (db: Db) =>
  (runId: string, attempt: number, step: number): ProblemScores[] => {
    const rows = db
      .prepare<
        [string, number, number],
        { scorer: string; hash: string; promptId: string; correct: number; n: number }
      >(
        `select s.scorer, s.scorer_hash hash, t.prompt_id promptId, 
          coalesce(sum(s.value >= 1), 0) correct, count(*) n
          from trajectories t join scores s on s.trajectory_id = t.id
          where t.run_id = ? and t.purpose = 'evaluation' and t.attempt = ? and t.step = ?
          group by 1, 2, 3`,
      )
      .all(runId, attempt, step);
    // the task's own verifier comes first
    rows.sort((a, b) => Number(b.scorer === 'verifier') - Number(a.scorer === 'verifier'));
    return [...Map.groupBy(rows, ({ scorer, hash }) => `${scorer}/${hash}`).values()].map((own) => ({
      scorer: own[0].scorer,
      problems: own.map(({ promptId, correct, n }) => ({ promptId, correct, n })),
    }));
  };
