import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import { readResult } from '../../../engine/schema/results.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import type { Services } from '../../services/services.ts';
import type { ProblemValues, ScorerValues } from '../../store/problem-values.ts';

/** Values of one measure by problem. */
export type ByProblem = ReadonlyMap<string, number>;

/** A measure that several runs share: a scorer counts as the same where its definition is the same. */
export interface MeasureFacts {
  readonly id: string;
  readonly title: string;
  readonly unit: 'rate' | 'score' | 'tokens';
}

/** A run's newest evaluation, problem by problem. */
export interface MeasuredRun {
  readonly id: string;
  readonly name: string;
  readonly method: string;
  readonly spec: Run['spec'];
  readonly data?: Run['data'];
  readonly values: ReadonlyMap<string, { readonly facts: MeasureFacts; readonly byProblem: ByProblem }>;
  /** Number of draws of each problem in the evaluation: problems of a world repeat. */
  readonly draws: ByProblem;
}

export interface LeftOut {
  readonly runId: string;
  readonly name: string;
  readonly reason: string;
}

export const passAt1: MeasureFacts = { id: 'pass@1', title: 'pass@1', unit: 'rate' };

/** The runs with values by problem, and why the others have none. */
export async function measuredRuns(
  { store }: Pick<Services, 'store'>,
  runIds: readonly string[],
): Promise<{ measured: MeasuredRun[]; leftOut: LeftOut[] }> {
  const measured: MeasuredRun[] = [];
  const leftOut: LeftOut[] = [];
  for (const id of new Set(runIds)) {
    const run = await store.runs.get(id);
    const result = await store.results.newest(id, 'evaluation');
    const skip = (reason: string) => void leftOut.push({ runId: id, name: run.name, reason });
    if (!result) {
      const isPlayed = (await store.results.newest(id, 'episodes')) !== null;
      const none = run.state === 'done' ? 'has no evaluation of a policy' : `${run.state}; no evaluation yet`;
      skip(isPlayed ? 'was measured by episodes, which are no problems in common' : none);
      continue;
    }
    const evaluation = readResult('evaluation', result.value);
    const values = await store.samples.problemValues(id, result.attempt, evaluation.step);
    if (values.promptIds.length === 0) {
      skip('has no stored answers of its evaluation');
      continue;
    }
    const { name, method, spec, data } = run;
    const draws = new Map(
      values.promptIds.map((each, at) => [each, values.answers[at] / evaluation.samples]),
    );
    measured.push({ id, name, method, spec, data, values: measuresOf(evaluation, values), draws });
  }
  return { measured, leftOut };
}

/** pass@1 first, then the scorers whose means differ from it, length, and truncation. */
function measuresOf(evaluation: PolicyEvaluation, values: ProblemValues): MeasuredRun['values'] {
  const found = new Map<string, { facts: MeasureFacts; byProblem: ByProblem }>();
  const add = (facts: MeasureFacts, list: readonly (number | null)[]) =>
    found.set(facts.id, {
      facts,
      byProblem: new Map(
        values.promptIds.flatMap((id, at) => {
          const value = list[at];
          return value === null ? [] : [[id, value] as const];
        }),
      ),
    });
  const rates = passRates(evaluation, values);
  if (rates) add(passAt1, rates);
  for (const { scorer, hash, means } of values.scorers) {
    const isSame = rates?.every((rate, at) => means[at] !== null && Math.abs(rate - means[at]) < 1e-9);
    if (isSame !== true && means.some((value) => value !== null))
      add({ id: `${scorer}/${hash}`, title: scorer, unit: 'score' }, means);
  }
  add({ id: 'length', title: 'answer length', unit: 'tokens' }, values.lengths);
  if (values.truncated.some((share) => share > 0))
    add({ id: 'truncated', title: 'truncated', unit: 'rate' }, values.truncated);
  return found;
}

/**
 * Shares of right answers by problem, of the scorer whose full marks make the evaluation's pass@1; null without
 * one, say where answers are missing.
 */
export const passRates = (evaluation: PolicyEvaluation, values: ProblemValues): readonly number[] | null =>
  values.scorers
    .toSorted((a, b) => Number(b.scorer === 'verifier') - Number(a.scorer === 'verifier'))
    .map((scorer) => ratesOf(scorer, values))
    .find((list) => isPassAt1(list, values, evaluation)) ?? null;

const ratesOf = ({ correct }: ScorerValues, { answers }: ProblemValues): number[] | null => {
  const rates = correct.map((n, at) => (n === null ? Number.NaN : n / answers[at]));
  return rates.every(Number.isFinite) ? rates : null;
};

/** True if these rates are those of the evaluation: of as many answers, with its pass@1. */
const isPassAt1 = (
  rates: readonly number[] | null,
  { answers }: ProblemValues,
  { problems, samples, passAt1: expected }: PolicyEvaluation,
): boolean => {
  if (!rates) return false;
  const total = answers.reduce((sum, n) => sum + n, 0);
  const right = rates.reduce((sum, rate, at) => sum + rate * answers[at], 0);
  return total === problems * samples && Math.abs(right / total - expected) < 1e-9;
};
