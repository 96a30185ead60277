import type { StoreContext } from './context.ts';

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

/** Scores of single answers that evaluations sampled; `problem-values.ts` has them by problem. */
export const evaluationScoreQueries = ({ db }: StoreContext) => ({
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
