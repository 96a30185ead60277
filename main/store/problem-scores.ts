import type { Db } from './database.ts';

/** Scores of one scorer on the answers of an evaluation, summed by problem. */
export interface ProblemScores {
  readonly scorer: string;
  readonly problems: readonly { readonly promptId: string; readonly sum: number; readonly n: number }[];
}

/** Per-problem scores of the evaluation of a step, one entry for each scorer and definition of it. */
export const problemScores =
  (db: Db) =>
  (runId: string, attempt: number, step: number): ProblemScores[] => {
    const rows = db
      .prepare<
        [string, number, number],
        { scorer: string; hash: string; promptId: string; sum: number; n: number }
      >(
        `select s.scorer, s.scorer_hash hash, t.prompt_id promptId, sum(s.value) sum, count(s.value) n
          from trajectories t join scores s on s.trajectory_id = t.id
          where t.run_id = ? and t.purpose = 'evaluation' and t.attempt = ? and t.step = ?
          group by 1, 2, 3`,
      )
      .all(runId, attempt, step);
    return [...Map.groupBy(rows, ({ scorer, hash }) => `${scorer}/${hash}`).values()].map((own) => ({
      scorer: own[0].scorer,
      problems: own.map(({ promptId, sum, n }) => ({ promptId, sum, n })),
    }));
  };
