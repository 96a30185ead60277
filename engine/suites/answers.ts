/** Scores of the suites that compare answers: RewardBench, RewardBench 2, and one's own gold set. */
import { clusteredRateInterval, clustersOf, mean, weightedMean } from '../evaluate/index.ts';
import type { Interval } from '../schema/evaluation.ts';
import type { SuiteKind, SuiteReport, SuiteResult } from '../schema/suite.ts';
import { stratifiedInterval, weightedInterval } from './bootstrap.ts';
import type { AnswersItem } from './items.ts';
import { rewardBench2Domains, rewardBenchSections } from './rewardbench.ts';
import { isReference, tiesNumber, tiesScore } from './ties.ts';

type Measured = Pick<SuiteReport, 'score' | 'interval' | 'sections' | 'subsets' | 'unread' | 'results'>;
type AnswerKind = Exclude<SuiteKind, 'processbench'>;

interface Scored {
  readonly item: AnswersItem;
  readonly scores: readonly number[];
}

/** A subset, and how its score follows from some of its items. */
interface Subset {
  readonly name: string;
  readonly scored: readonly Scored[];
  readonly weight: number;
  readonly score: (of: readonly Scored[]) => number;
  /** Items that are resampled together. */
  readonly units: readonly (readonly Scored[])[];
}

/**
 * Credit of an item. RewardBench and gold sets: 1 if the chosen answer scores above the rejected one, else 0.
 * RewardBench 2: if the right answer has the highest score, 1 ÷ the number of answers that have it.
 */
export const creditOf = (kind: AnswerKind, scores: readonly number[]): number => {
  if (kind !== 'rewardbench-2') return Number(scores[0] > scores[1]);
  const most = Math.max(...scores);
  return scores[0] === most ? 1 / scores.filter((score) => score === most).length : 0;
};

const isTies = (kind: AnswerKind, name: string): boolean => kind === 'rewardbench-2' && name === 'Ties';

function subsetOf(kind: AnswerKind, name: string, scored: readonly Scored[], weight: number): Subset {
  if (!isTies(kind, name))
    return {
      name,
      scored,
      weight,
      score: (of) => mean(of.map(({ scores }) => creditOf(kind, scores))),
      units: scored.map((each) => [each]),
    };
  return {
    name,
    scored,
    weight,
    score: (of) =>
      tiesScore(of.map(({ item, scores }, at) => ({ id: `${item.id}`, at, scores, correct: item.correct }))),
    units: [...Map.groupBy(scored, ({ item }) => tiesNumber(item.id)).values()],
  };
}

/** Score of a subset of Ties over resampled prompts, each repetition under a number of its own. */
const resampledTies = (units: Subset['units'], picked: Int32Array): number =>
  tiesScore(
    [...picked].flatMap((at, repetition) =>
      units[at].map(({ item, scores }) => ({
        id: `${isReference(item.id) ? 'ref' : 'tied'}:${repetition}`,
        scores,
        correct: item.correct,
      })),
    ),
  );

const scoreOf = ({ scored, score }: Subset): number | null => (scored.length === 0 ? null : score(scored));

function intervalOf(kind: AnswerKind, subset: Subset): Interval | null {
  const { name, scored, units } = subset;
  if (scored.length === 0) return null;
  if (isTies(kind, name))
    return stratifiedInterval([units.length], ([picked]) => resampledTies(units, picked));
  const prompts = scored.map(({ item }) => item.prompt);
  const credits = scored.map(({ scores }) => creditOf(kind, scores));
  return clusteredRateInterval(clustersOf(prompts, credits));
}

/** Weights of a section's subsets by name; those of the suite, else each item counts the same. */
const sectionsOf = (
  kind: AnswerKind,
  names: readonly string[],
): Readonly<Record<string, Record<string, number>>> => {
  if (kind === 'rewardbench') return rewardBenchSections;
  if (kind === 'gold') return {};
  return Object.fromEntries(
    rewardBench2Domains.filter((name) => names.includes(name)).map((name) => [name, { [name]: 1 }]),
  );
};

const ratesOf = (kind: AnswerKind, { scored }: Subset): number[] =>
  scored.map(({ scores }) => creditOf(kind, scores));

function sectionScore(kind: AnswerKind, subsets: readonly Subset[]) {
  const filled = subsets.filter(({ scored }) => scored.length > 0);
  if (filled.length === 0) return { score: null, interval: null };
  if (filled.length === 1) return { score: scoreOf(filled[0]), interval: intervalOf(kind, filled[0]) };
  const weights = filled.map(({ weight }) => weight);
  return {
    score: weightedMean(
      filled.map((subset) => scoreOf(subset) ?? 0),
      weights,
    ),
    interval: weightedInterval(
      filled.map((subset) => ({ credits: ratesOf(kind, subset), weight: subset.weight })),
    ),
  };
}

/** The mean of all sections, each resampled by subset; null unless every section has a score. */
function overall(kind: AnswerKind, sections: readonly (readonly Subset[])[], needed: number) {
  const filled = sections.map((subsets) => subsets.filter(({ scored }) => scored.length > 0));
  if (filled.length < needed || filled.some(({ length }) => length === 0))
    return { score: null, interval: null };
  const flat = filled.flatMap((subsets) =>
    subsets.map((subset) => ({
      subset,
      // the section's weights add up to 1 ÷ sections
      weight: subset.weight / subsets.reduce((sum, { weight }) => sum + weight, 0) / filled.length,
    })),
  );
  const weights = flat.map(({ weight }) => weight);
  const score = weightedMean(
    flat.map(({ subset }) => scoreOf(subset) ?? 0),
    weights,
  );
  if (!flat.some(({ subset }) => isTies(kind, subset.name)))
    return {
      score,
      interval: weightedInterval(
        flat.map(({ subset, weight }) => ({ credits: ratesOf(kind, subset), weight })),
      ),
    };
  const rates = flat.map(({ subset }) => ratesOf(kind, subset));
  const interval = stratifiedInterval(
    flat.map(({ subset }) => subset.units.length),
    (picked) => {
      const means = flat.map(({ subset }, at) =>
        isTies(kind, subset.name)
          ? resampledTies(subset.units, picked[at])
          : mean([...picked[at]].map((item) => rates[at][item])),
      );
      // a resample may hold no item with ties
      return means.some(Number.isNaN) ? Number.NaN : weightedMean(means, weights);
    },
  );
  return { score, interval };
}

/**
 * Measures a judge by the scores of its answers, item by item in their order; an item with an unread answer is
 * left out of all scores, and counted. The suite's score is the mean of its sections (a gold set's: of all its
 * pairs), null if a section has no scored item. Intervals are 95 %, resampled within subsets.
 */
export function measureAnswers(
  kind: AnswerKind,
  items: readonly AnswersItem[],
  scores: readonly (readonly (number | null)[])[],
): Measured {
  const read = items.map((item, at) => ({ item, scores: scores[at], isRead: !scores[at].includes(null) }));
  const names = [...new Set(items.map(({ subset }) => subset))];
  const weightOf = new Map(
    Object.values(sectionsOf(kind, names)).flatMap((section) => Object.entries(section)),
  );
  const subsets = names.map((name) => {
    const scored = read.flatMap((each) =>
      each.isRead && each.item.subset === name
        ? [{ item: each.item, scores: each.scores.map((score) => score ?? 0) }]
        : [],
    );
    return subsetOf(kind, name, scored, weightOf.get(name) ?? (kind === 'gold' ? scored.length : 0));
  });
  const sections = Object.entries(sectionsOf(kind, names)).map(([name, members]) => ({
    name,
    own: subsets.filter((subset) => Object.hasOwn(members, subset.name)),
  }));
  const all = kind === 'gold' ? sectionScore(kind, subsets) : null;
  const needed = kind === 'rewardbench' ? 4 : rewardBench2Domains.length;
  return {
    ...(all ??
      overall(
        kind,
        sections.map(({ own }) => own),
        needed,
      )),
    unread: read.filter(({ isRead }) => !isRead).length,
    sections: sections.map(({ name, own }) => ({
      name,
      subsets: own.map((subset) => subset.name),
      ...sectionScore(kind, own),
    })),
    subsets: subsets.map((subset) => ({
      name: subset.name,
      n: subset.scored.length,
      weight: subset.weight,
      score: scoreOf(subset),
      interval: intervalOf(kind, subset),
    })),
    results: read.map(({ item, scores: own, isRead }): SuiteResult => ({
      id: item.id,
      subset: item.subset,
      scores: [...own],
      credit:
        isRead && !isTies(kind, item.subset)
          ? creditOf(
              kind,
              own.map((score) => score ?? 0),
            )
          : null,
    })),
  };
}
