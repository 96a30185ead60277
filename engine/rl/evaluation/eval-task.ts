/** What a policy is asked at evaluation, and who says whether an answer is right. */
import type { AnswerRow } from '../../rewards/index.ts';
import type { Stack } from '../../rewards/stack.ts';
import { judgedBy, type World } from '../../worlds/index.ts';
import type { Problem } from '../kernel/columns.ts';

export interface EvalTask {
  /** The first held-out problems, the same in every run; at most so many. */
  problems(count: number): readonly Problem[];
  /**
   * The verdict on each answer. `raw`: what the run's scorers said of them, where they were asked already.
   */
  judge(
    rows: readonly AnswerRow[],
    raw?: { readonly [scorer: string]: Float64Array },
  ): Promise<readonly EvalVerdict[]>;
}
export interface EvalVerdict {
  readonly correct: boolean;
  readonly reward: number;
}

/** Problems of a world, and its verdicts. */
export const worldEvalTask = (world: World, problems: readonly Problem[]): EvalTask => ({
  problems: (count) => problems.slice(0, count),
  judge: (rows) => judgedBy(world, rows),
});

/**
 * A dataset's held-out prompts, judged by a verifier that compares with their references: the only scorer of
 * `verifier`.
 */
export const referenceEvalTask = (problems: readonly Problem[], verifier: Stack): EvalTask => ({
  problems: (count) => problems.slice(0, count),
  judge: async (rows, raw) => {
    const scores = raw?.[verifier.scorers[0]] ?? (await verifier.score(rows)).total;
    return rows.map((_, r) => ({ correct: scores[r] === 1, reward: scores[r] }));
  },
});
