import type { StoreContext } from './context.ts';

/** Mean score of a problem's answers in the evaluation of a step. */
export interface MeanScore {
  readonly scorer: string;
  readonly promptId: string;
  readonly mean: number;
}
/** An answer of an evaluation with its scores by scorer; null: the scorer failed on it. */
export interface ScoredEvaluationAnswer {
  readonly promptId: string;
  readonly scores: Readonly<Record<string, number | null>>;
}

interface Evaluated {
  readonly runId: string;
  readonly attempt: number;
  readonly step: number;
}

/** Scores of the answers that evaluations sampled. Scores that were added later have names of their own. */
export const evaluationScoreQueries = ({ db }: StoreContext) => ({
  /** Mean scores by scorer and problem; problems with an answer that a scorer failed on are left out for it. */
  means: ({ runId, attempt, step }: Evaluated): MeanScore[] =>
    db
      .prepare<[string, number, number], MeanScore>(
        `select s.scorer, t.prompt_id promptId, avg(s.value) mean
          from trajectories t join scores s on s.trajectory_id = t.id
          where t.run_id = ? and t.purpose = 'evaluation' and t.attempt = ? and t.step = ?
          group by 1, 2 having count(*) = count(s.value) order by 1, 2`,
      )
      .all(runId, attempt, step),

  answers: ({ runId, attempt, step }: Evaluated): ScoredEvaluationAnswer[] =>
    db
      .prepare<[string, number, number], { promptId: string; scores: string }>(
        `select t.prompt_id promptId, json_group_object(s.scorer, s.value) scores
          from trajectories t join scores s on s.trajectory_id = t.id
          where t.run_id = ? and t.purpose = 'evaluation' and t.attempt = ? and t.step = ?
          group by t.id order by t.prompt_id, t.sample`,
      )
      .all(runId, attempt, step)
      .map(({ promptId, scores }) => ({
        promptId,
        scores: JSON.parse(scores) as ScoredEvaluationAnswer['scores'],
      })),
});
