import { pairedMean } from '../../engine/index.ts';
import type { Interval, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { RunDifference } from '../../preload/contract/runs.ts';
import type { Services } from '../services/services.ts';
import type { ProblemScores } from '../store/problem-scores.ts';

type Problems = ProblemScores['problems'];

/**
 * pass@1 of a run's newest evaluation minus that of the checkpoint that it began from, with a 95 % interval:
 * over the differences of each problem where both runs' answers are stored, as in a comparison of the two
 * runs; from the two intervals otherwise.
 * Null without both evaluations on the same problems.
 */
export async function differenceToStart(
  { store }: Pick<Services, 'store'>,
  id: string,
): Promise<RunDifference | null> {
  const compared = await store.runs.compared(id);
  if (!compared) return null;
  const { start, last } = compared;
  const [before, after] = await Promise.all([
    verdictsOf(store, start.runId, start),
    verdictsOf(store, id, last),
  ]);
  const paired = before && after ? pairedInterval(before, after) : null;
  return {
    runId: start.runId,
    runName: start.runName,
    step: start.evaluation.step,
    before: start.evaluation.passAt1,
    difference: last.evaluation.passAt1 - start.evaluation.passAt1,
    interval: paired ?? unpairedInterval(start.evaluation, last.evaluation),
    paired: paired !== null,
    problems: last.evaluation.problems,
  };
}

/** Right answers by problem: of the scorer whose full marks make the evaluation's pass@1; null without one. */
async function verdictsOf(
  store: Services['store'],
  runId: string,
  { attempt, evaluation }: { readonly attempt: number; readonly evaluation: PolicyEvaluation },
): Promise<Problems | null> {
  const answers = evaluation.problems * evaluation.samples;
  const scores = await store.samples.problemScores(runId, attempt, evaluation.step);
  const total = (problems: Problems, key: 'correct' | 'n'): number =>
    problems.reduce((sum, problem) => sum + problem[key], 0);
  return (
    scores.find(
      ({ problems }) =>
        total(problems, 'n') === answers &&
        Math.abs(total(problems, 'correct') / answers - evaluation.passAt1) < 1e-9,
    )?.problems ?? null
  );
}

/** Interval over the problems' differences; null where the problems or their answers' numbers differ. */
function pairedInterval(before: Problems, after: Problems): Interval | null {
  const earlier = new Map(before.map((problem) => [problem.promptId, problem]));
  const differences = after.flatMap(({ promptId, correct, n }) => {
    const same = earlier.get(promptId);
    return same?.n === n ? [(correct - same.correct) / n] : [];
  });
  const isSame = differences.length === after.length && differences.length === before.length;
  return isSame && differences.length > 0 ? pairedMean(differences, [-1, 1]).interval : null;
}

/**
 * Interval of a difference from the intervals of its two sides, as if they were independent: Newcombe's
 * square-and-add method (1998).
 */
function unpairedInterval(
  { passAt1: a, passAt1Interval: [aLow, aHigh] }: PolicyEvaluation,
  { passAt1: b, passAt1Interval: [bLow, bHigh] }: PolicyEvaluation,
): Interval {
  return [b - a - Math.hypot(b - bLow, aHigh - a), b - a + Math.hypot(bHigh - b, a - aLow)];
}
