/** The curve of a search: accuracy over sampled tokens, one line per rule. */
import {
  bestOfNKl,
  clusteredRateInterval,
  clustersOf,
  ksUpTo,
  mean,
  pairedDifference,
} from '../../evaluate/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { pause } from '../../pace/index.ts';
import type { SearchCurve, SearchPoint, SearchStrategy } from '../../schema/search.ts';
import type { RuleView, SearchRule } from './rule.ts';
import { searchRules } from './rules/index.ts';
import { subsetsOf } from './subsets.ts';
import type { TriedProblem } from './tried.ts';

export interface CurveOptions {
  readonly step: number;
  readonly seed: number;
  readonly rankPower: number;
  readonly rules?: readonly SearchRule[];
}

interface LineOf {
  readonly rule: SearchRule;
  readonly scorer: string;
}

/** The scorers that give negative scores anywhere: their votes weigh σ(score). */
const signedScorers = (problems: readonly TriedProblem[]): ReadonlySet<string> =>
  new Set(
    Object.keys(problems[0].scores).filter((scorer) =>
      problems.some(({ scores }) => scores[scorer].some((score) => score < 0)),
    ),
  );

const linesOf = (rules: readonly SearchRule[], scorers: readonly string[]): readonly LineOf[] =>
  rules.flatMap((rule) =>
    rule.by === 'nothing' ? [{ rule, scorer: '' }] : scorers.map((scorer) => ({ rule, scorer })),
  );

/** Throws `invalid-input` unless every problem has as many answers as the first, at least one. */
const evenSamples = (problems: readonly TriedProblem[]): number => {
  const samples = problems[0]?.correct.length ?? 0;
  if (samples === 0) throw new WhetstoneError('invalid-input', 'A search needs a problem with an answer.');
  const uneven = problems.find(({ correct }) => correct.length !== samples);
  if (uneven)
    throw new WhetstoneError(
      'invalid-input',
      `Every problem needs ${samples} answers; ${uneven.promptId} has ${uneven.correct.length}.`,
    );
  return samples;
};

/**
 * Accuracy of every rule at n = 1, 2, 4, … answers, over the problems, which all have as many answers. The
 * tokens at n are n times the problem's mean answer, the mean over subsets. Intervals (95 %) resample prompts;
 * gains are paired with the majority vote at the same n.
 */
export const searchCurve = async (
  problems: readonly TriedProblem[],
  { step, seed, rankPower, rules = searchRules }: CurveOptions,
): Promise<SearchCurve> => {
  const samples = evenSamples(problems);
  const lines = linesOf(rules, Object.keys(problems[0].scores));
  const signed = signedScorers(problems);
  const prompts = problems.map(({ promptId }) => promptId);
  const tokens = mean(problems.map((problem) => mean(problem.tokens)));
  const points = lines.map((): SearchPoint[] => []);
  const ns = ksUpTo(samples);
  for (const [at, n] of ns.entries()) {
    const chances = lines.map((): number[] => []);
    for (const [p, problem] of problems.entries()) {
      const subsets = subsetsOf(samples, n, { seed, problem: p });
      lines.forEach(({ rule, scorer }, line) => {
        const view: RuleView = { problem, n, scorer, isSigned: signed.has(scorer), subsets, rankPower };
        chances[line].push(rule.accuracy(view));
      });
      await pause((at + (p + 1) / problems.length) / ns.length);
    }
    const majority = chances[lines.findIndex(({ rule }) => rule.id === 'majority')];
    lines.forEach(({ rule }, line) => {
      const own = chances[line];
      const isBaseline = own === majority || majority === undefined;
      points[line].push({
        n,
        tokens: n * tokens,
        accuracy: mean(own),
        interval: clusteredRateInterval(clustersOf(prompts, own), { seed }),
        gain: isBaseline ? null : pairedDifference(majority, own, prompts, { seed }),
        kl: rule.isBestOfN ? bestOfNKl(n) : null,
      });
    });
  }
  const unread = problems.flatMap(({ answers }) => answers.map((answer) => Number(answer === null)));
  return {
    step,
    problems: problems.length,
    samples,
    unread: mean(unread),
    strategies: lines.map(({ rule, scorer }, line): SearchStrategy => ({
      id: scorer === '' ? rule.id : `${rule.id}/${scorer}`,
      title: scorer === '' ? rule.title : `${rule.title} by ${scorer}`,
      scorer: scorer === '' ? null : scorer,
      points: points[line],
    })),
  };
};
