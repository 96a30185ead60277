import { pairedMean } from '../../engine/index.ts';
import type { Interval, PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { RunDifference } from '../../preload/contract/runs.ts';
import type { Services } from '../services/services.ts';
import { passRates } from './comparing/measured.ts';

/** Share of right answers among n, by problem. */
type Verdicts = ReadonlyMap<string, { readonly rate: number; readonly n: number }>;

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

/** Right answers by problem of a stored evaluation; null where they are not stored. */
async function verdictsOf(
  store: Services['store'],
  runId: string,
  { attempt, evaluation }: { readonly attempt: number; readonly evaluation: PolicyEvaluation },
): Promise<Verdicts | null> {
  const values = await store.samples.problemValues(runId, attempt, evaluation.step);
  const rates = passRates(evaluation, values);
  return rates && new Map(values.promptIds.map((id, at) => [id, { rate: rates[at], n: values.answers[at] }]));
}

/** Interval over the problems' differences; null where the problems or their answers' numbers differ. */
function pairedInterval(before: Verdicts, after: Verdicts): Interval | null {
  const pairs = [...after].flatMap(([id, { rate, n }]) => {
    const same = before.get(id);
    return same?.n === n ? [{ difference: rate - same.rate, n }] : [];
  });
  if (pairs.length === 0 || pairs.length < after.size || pairs.length < before.size) return null;
  const differences = pairs.map(({ difference }) => difference);
  const answers = pairs.map(({ n }) => n);
  return pairedMean(differences, [-1, 1], answers).interval;
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
