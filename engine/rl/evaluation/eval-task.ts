/** The problems of a policy's evaluation, and the verifier of its answers. */
import type { AnswerRow } from '../../rewards/index.ts';
import type { Stack } from '../../rewards/stack.ts';
import { judgedBy, type World } from '../../worlds/index.ts';
import type { Problem } from '../kernel/columns.ts';

export interface EvalTask {
  /** The first held-out problems, at most this many; the same in every run. */
  problems(count: number): readonly Problem[];
  /** Verdicts on answers. `raw`: scores of the run's scorers, if they were computed already. */
  judge(
    rows: readonly AnswerRow[],
    raw?: { readonly [scorer: string]: Float64Array },
  ): Promise<readonly EvalVerdict[]>;
}
export interface EvalVerdict {
  readonly correct: boolean;
  readonly reward: number;
}

/** A world's problems and verifier. */
export const worldEvalTask = (world: World, problems: readonly Problem[]): EvalTask => ({
  problems: (count) => problems.slice(0, count),
  judge: (rows) => judgedBy(world, rows),
});

/** A dataset's held-out prompts; the only scorer of `verifier` compares answers with their references. */
export const referenceEvalTask = (problems: readonly Problem[], verifier: Stack): EvalTask => ({
  problems: (count) => problems.slice(0, count),
  judge: async (rows, raw) => {
    const scores = raw?.[verifier.scorers[0]] ?? (await verifier.score(rows)).total;
    return rows.map((_, r) => ({ correct: scores[r] === 1, reward: scores[r] }));
  },
});
