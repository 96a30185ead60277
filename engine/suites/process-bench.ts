/** ProcessBench (Zheng et al. 2024, arXiv:2412.06559): the first wrong step of stepwise answers. */
import { firstWrongStep } from '../common/first-wrong-step.ts';
import { mean, wilson } from '../evaluate/index.ts';
import type { Interval } from '../schema/evaluation.ts';
import type { StepScores } from '../schema/inside.ts';
import type { SuiteReport, SuiteResult } from '../schema/suite.ts';
import { stratifiedInterval } from './bootstrap.ts';
import type { StepsItem } from './items.ts';

/** Without answers to fit on, a probability below one half is an error. */
export const usualThreshold = 0.5;

type Measured = Pick<
  SuiteReport,
  'score' | 'interval' | 'sections' | 'subsets' | 'steps' | 'unread' | 'results'
>;

interface Read {
  readonly item: StepsItem;
  readonly scores: readonly number[];
}

/** Harmonic mean of two accuracies; 0 if one of them is, NaN if one is undefined. */
export const harmonicMean = (a: number, b: number): number => (a + b === 0 ? 0 : (2 * a * b) / (a + b));

const isRight = ({ item, scores }: Read, threshold: number): number =>
  Number(firstWrongStep(scores, threshold) === item.label);

const sides = (reads: readonly Read[]) => ({
  erroneous: reads.filter(({ item }) => item.label >= 0),
  correct: reads.filter(({ item }) => item.label < 0),
});

/** F1 of a threshold: harmonic mean of the accuracies on erroneous and on correct answers; NaN without one kind. */
export function f1At(reads: readonly Read[], threshold: number): number {
  const { erroneous, correct } = sides(reads);
  if (erroneous.length === 0 || correct.length === 0) return Number.NaN;
  const accuracy = (of: readonly Read[]): number => mean(of.map((each) => isRight(each, threshold)));
  return harmonicMean(accuracy(erroneous), accuracy(correct));
}

/**
 * The threshold with the largest F1 among the midpoints of neighbouring step scores, and beyond them; the smallest
 * of equally good ones. At most 200 are tried, evenly chosen. NaN without both kinds of answers.
 */
export function fittedThreshold(reads: readonly Read[]): number {
  const scores = [...new Set(reads.flatMap((each) => each.scores))].sort((a, b) => a - b);
  if (scores.length === 0) return Number.NaN;
  const between = scores.slice(1).map((score, at) => (score + scores[at]) / 2);
  const all = [scores[0], ...between, scores[scores.length - 1] + 1];
  const step = Math.max(1, all.length / 200);
  const tried = Array.from({ length: Math.min(200, all.length) }, (_none, at) => all[Math.floor(at * step)]);
  let [best, most] = [Number.NaN, -1];
  for (const threshold of tried) {
    const f1 = f1At(reads, threshold);
    if (f1 > most) [best, most] = [threshold, f1];
  }
  return best;
}

const accuracyOf = (of: readonly Read[], threshold: number) => ({
  n: of.length,
  accuracy: of.length === 0 ? null : mean(of.map((each) => isRight(each, threshold))),
});

function f1Of(
  reads: readonly Read[],
  threshold: number,
): { score: number | null; interval: Interval | null } {
  const score = f1At(reads, threshold);
  if (Number.isNaN(score)) return { score: null, interval: null };
  const { erroneous, correct } = sides(reads);
  const right = [erroneous, correct].map((of) => of.map((each) => isRight(each, threshold)));
  const isConstant = right.every((of) => of.every((each) => each === right[0][0]));
  if (isConstant) {
    const n = Math.min(erroneous.length, correct.length);
    return { score, interval: wilson(right[0][0] * n, n) };
  }
  const share = (of: readonly number[], picked: Int32Array): number =>
    picked.reduce((sum, at) => sum + of[at], 0) / picked.length;
  const interval = stratifiedInterval([erroneous.length, correct.length], ([a, b]) =>
    harmonicMean(share(right[0], a), share(right[1], b)),
  );
  return { score, interval };
}

/** Every other item of each subset is for fitting. */
function halves(reads: readonly Read[]): { fitting: Read[]; measured: Read[] } {
  const seen = new Map<string, number>();
  const halved: { fitting: Read[]; measured: Read[] } = { fitting: [], measured: [] };
  for (const read of reads) {
    const key = `${read.item.subset} ${read.item.label >= 0}`;
    const at = seen.get(key) ?? 0;
    seen.set(key, at + 1);
    (at % 2 === 0 ? halved.fitting : halved.measured).push(read);
  }
  return halved;
}

/**
 * Measures a judge of steps by the first step whose score is below a threshold. Without one it is fitted on every
 * other item of each subset and kind, and only the other items are measured. An answer that exceeds the context is
 * left out. The score of a subset is its F1, that of the suite the mean over subsets; null without both kinds.
 */
export function measureSteps(
  items: readonly StepsItem[],
  found: readonly StepScores[],
  chosen: number | null,
): Measured {
  const all = items.flatMap((item, at): Read[] => {
    const scores = found[at].scores.filter((score) => score !== null);
    return scores.length === item.steps.length ? [{ item, scores }] : [];
  });
  const { fitting, measured } = chosen === null ? halves(all) : { fitting: [], measured: all };
  const fitted = chosen ?? fittedThreshold(fitting);
  const threshold = Number.isNaN(fitted) ? usualThreshold : fitted;
  const { erroneous, correct } = sides(measured);
  const names = [...new Set(items.map(({ subset }) => subset))];
  const subsets = names.map((name) => {
    const own = measured.filter(({ item }) => item.subset === name);
    return { name, own, ...f1Of(own, threshold) };
  });
  const scored = subsets.filter(({ score }) => score !== null);
  const right = new Map(measured.map((read) => [read.item, isRight(read, threshold)]));
  return {
    ...(subsets.length === 1
      ? { score: subsets[0].score, interval: subsets[0].interval }
      : overSubsets(
          scored.map(({ own }) => own),
          threshold,
          scored.length === subsets.length,
        )),
    unread: items.length - all.length,
    sections: [],
    subsets: subsets.map(({ name, own, score, interval }) => ({
      name,
      n: own.length,
      weight: 1,
      score,
      interval,
    })),
    steps: {
      by: found[0]?.by ?? 'prefix',
      threshold,
      thresholdBy: chosen === null ? 'fitted' : 'chosen',
      fittedOn: fitting.length,
      erroneous: accuracyOf(erroneous, threshold),
      correct: accuracyOf(correct, threshold),
    },
    results: items.map((item, at): SuiteResult => ({
      id: item.id,
      subset: item.subset,
      scores: [...found[at].scores],
      credit: right.get(item) ?? null,
      stepwise: { prompt: item.prompt, steps: [...item.steps], label: item.label },
    })),
  };
}

/** The mean F1 of several subsets, resampled within the kinds of each. */
function overSubsets(subsets: readonly (readonly Read[])[], threshold: number, isWhole: boolean) {
  if (!isWhole || subsets.length === 0) return { score: null, interval: null };
  const kinds = subsets.map((reads) => {
    const { erroneous, correct } = sides(reads);
    return [erroneous, correct].map((of) => of.map((each) => isRight(each, threshold)));
  });
  const interval = stratifiedInterval(
    kinds.flatMap((both) => both.map(({ length }) => length)),
    (picked) =>
      mean(
        kinds.map((both, at) => {
          const [a, b] = both.map((right, side) => {
            const own = picked[2 * at + side];
            return own.reduce((sum, index) => sum + right[index], 0) / own.length;
          });
          return harmonicMean(a, b);
        }),
      ),
  );
  return { score: mean(subsets.map((reads) => f1At(reads, threshold))), interval };
}
