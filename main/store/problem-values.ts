import type { Db } from './database.ts';

/** Values of one scorer (one definition of it) by problem, in the order of the problems; null: not scored. */
export interface ScorerValues {
  readonly scorer: string;
  readonly hash: string;
  /** Mean score; null where a score is missing or not a number. */
  readonly means: readonly (number | null)[];
  /** Answers with full marks: a score of 1, or more. */
  readonly correct: readonly (number | null)[];
}

/** The evaluation of a step by problem: lists of equal lengths. */
export interface ProblemValues {
  readonly promptIds: readonly string[];
  readonly answers: readonly number[];
  /** Mean length of the answers, in tokens. */
  readonly lengths: readonly number[];
  /** Share of answers cut at the token limit. */
  readonly truncated: readonly number[];
  readonly scorers: readonly ScorerValues[];
}

interface AnswerRow {
  readonly id: string;
  readonly n: number;
  readonly length: number;
  readonly truncated: number;
}
interface ScoreRow {
  readonly scorer: string;
  readonly hash: string;
  readonly id: string;
  readonly n: number;
  readonly known: number;
  readonly correct: number;
  readonly mean: number | null;
}

const evaluated = "t.run_id = ? and t.purpose = 'evaluation' and t.attempt = ? and t.step = ?";

/** Queries of evaluations, problem by problem. */
export const problemValueQueries = (db: Db) => ({
  problemValues(runId: string, attempt: number, step: number): ProblemValues {
    const rows = db
      .prepare<[string, number, number], AnswerRow>(
        `select t.prompt_id id, count(*) n, avg(t.token_count - t.prompt_length) length,
          avg(t.stop_reason = 'length') truncated from trajectories t where ${evaluated} group by 1`,
      )
      .all(runId, attempt, step);
    const at = new Map(rows.map(({ id }, place) => [id, place]));
    const scores = db
      .prepare<[string, number, number], ScoreRow>(
        `select s.scorer, s.scorer_hash hash, t.prompt_id id, count(*) n, count(s.value) known,
          coalesce(sum(s.value >= 1), 0) correct, avg(s.value) mean
          from trajectories t join scores s on s.trajectory_id = t.id where ${evaluated} group by 1, 2, 3`,
      )
      .iterate(runId, attempt, step);
    type Writable = { scorer: string; hash: string; means: (number | null)[]; correct: (number | null)[] };
    const scorers = new Map<string, Writable>();
    for (const { scorer, hash, id, n, known, correct, mean } of scores) {
      const place = at.get(id) ?? -1;
      const key = `${scorer}/${hash}`;
      const nothing = () => new Array<number | null>(rows.length).fill(null);
      const own = scorers.get(key) ?? { scorer, hash, means: nothing(), correct: nothing() };
      scorers.set(key, own);
      if (place < 0 || n !== rows[place].n) continue;
      own.correct[place] = correct;
      own.means[place] = known === n && Number.isFinite(mean) ? mean : null;
    }
    return {
      promptIds: rows.map(({ id }) => id),
      answers: rows.map(({ n }) => n),
      lengths: rows.map(({ length }) => length),
      truncated: rows.map(({ truncated }) => truncated),
      scorers: [...scorers.values()],
    };
  },

  /** Texts of at most 200 problems of a run's evaluation, by id. */
  problemTexts: (runId: string, promptIds: readonly string[]): { promptId: string; prompt: string }[] =>
    db
      .prepare<[string, string], { promptId: string; prompt: string }>(
        `select prompt_id promptId, substr(min(prompt), 1, 2000) prompt from trajectories
          where purpose = 'evaluation' and run_id = ? and prompt_id in (select value from json_each(?))
          group by 1`,
      )
      .all(runId, JSON.stringify(promptIds.slice(0, 200))),
});
