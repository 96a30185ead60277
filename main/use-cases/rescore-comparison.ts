import { mean, pearson, storedTotals } from '../../engine/index.ts';
import type { EngineCalls } from '../../engine/schema/messages.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Rescored } from '../../preload/contract/rewards.ts';
import type { Sample } from '../../preload/contract/runs.ts';

/** Number of changed answers, failed answers, and plotted points returned. */
const MOVED = 50;
const FAILED = 20;
const POINTS = 1500;
/**
 * Two totals that differ by less, as a share of the larger, are a tie: sums of the same numbers may differ
 * in their last digit.
 */
const TIE = 1e-9;
/** Smaller advantages count as 0. */
const NONE = 1e-6;

/** Share of a run that was done when the answers of a step were scored, 0–1. */
export const progressAt = ({ budget }: Pick<RunSpec, 'budget'>, step: number): number =>
  Math.max(0, step - 1) / Math.max(1, budget.steps);

/** Totals by the run's own rewards and composer, from stored values; null if one is missing. */
const ownTotals = (
  before: RunSpec,
  samples: readonly Sample[],
  groups: readonly string[],
): ReturnType<typeof storedTotals> =>
  storedTotals(
    before,
    [...Map.groupBy(samples.keys(), (at) => samples[at].step).values()].map((rows) => ({
      scores: rows.map((row) => samples[row].scores),
      groups: rows.map((row) => groups[row]),
      progress: progressAt(before, samples[rows[0]].step),
    })),
  );

const goTogether = (a: readonly number[], b: readonly number[]): number | null => {
  const found = pearson(a, b);
  return Number.isNaN(found) ? null : found;
};
const compared = (now: readonly number[], stored: readonly number[] | null): Rescored['total'] => ({
  mean: mean(now),
  stored: stored && mean(stored),
  correlation: stored && goTogether(now, stored),
});

/** Advantages within groups, computed from totals. */
const groupAdvantages = (totals: readonly number[], groups: readonly string[]): number[] => {
  const own = Map.groupBy(totals.keys(), (at) => groups[at]);
  const found = totals.map(() => 0);
  for (const rows of own.values()) {
    const center = mean(rows.map((at) => totals[at]));
    const sd = Math.sqrt(
      rows.reduce((sum, at) => sum + (totals[at] - center) ** 2, 0) / Math.max(1, rows.length - 1),
    );
    if (sd > 0) for (const at of rows) found[at] = (totals[at] - center) / (sd + 1e-6);
  }
  return found;
};

const order = (a: number, b: number): number =>
  Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);

const signOf = (advantage: number): number => (Math.abs(advantage) < NONE ? 0 : Math.sign(advantage));

/** Share of answers whose order against another one of their group changed: above, tied, or below. */
const reorderedShare = (
  now: readonly number[],
  stored: readonly number[],
  groups: readonly string[],
): number => {
  const isOther = now.map(() => false);
  for (const rows of Map.groupBy(now.keys(), (at) => groups[at]).values()) {
    rows.forEach((a, i) =>
      rows.slice(i + 1).forEach((b) => {
        if (order(now[a], now[b]) !== order(stored[a], stored[b])) isOther[a] = isOther[b] = true;
      }),
    );
  }
  return mean(isOther.map(Number));
};

/** Totals of the same answers, and their advantages. */
interface Judged {
  readonly total: readonly number[];
  readonly advantage: readonly number[];
}

/** Answers whose advantage changed, the greatest change first. */
const movedAnswers = (samples: readonly Sample[], now: Judged, then: Judged): Rescored['moved'] =>
  samples
    .map(({ id, step, prompt, completion }, at) => ({
      sampleId: id,
      step,
      prompt,
      completion,
      stored: then.total[at],
      now: now.total[at],
      storedAdvantage: then.advantage[at],
      nowAdvantage: now.advantage[at],
    }))
    .filter((each) => Math.abs(each.nowAdvantage - each.storedAdvantage) > NONE)
    .sort(
      (a, b) => Math.abs(b.nowAdvantage - b.storedAdvantage) - Math.abs(a.nowAdvantage - a.storedAdvantage),
    )
    .slice(0, MOVED);

/** Differences of the advantages; without stored ones there is nothing to compare. */
const advantageChange = (now: readonly number[], then: readonly number[] | null): Rescored['advantages'] => ({
  correlation: then && goTogether(now, then),
  meanChange: then ? mean(now.map((value, at) => Math.abs(value - then[at]))) : 0,
  signsChanged: then ? mean(now.map((value, at) => Number(signOf(value) !== signOf(then[at])))) : 0,
});

/** Pairs of a stored and a new total for the plot: all of them, or an even sample of many. */
const totalPoints = (now: readonly number[], stored: readonly number[]): Rescored['points'] => {
  const rows = now.length;
  const shown =
    rows <= POINTS
      ? [...now.keys()]
      : Array.from({ length: POINTS }, (_, i) => Math.floor((i * rows) / POINTS));
  return { stored: shown.map((at) => stored[at]), now: shown.map((at) => now[at]) };
};

/**
 * Compares new scores of stored answers with the old ones. `groups`: answers with the same name answer one
 * prompt; `before`: the run's own specification.
 */
export const compareScores = ({
  samples,
  groups,
  now,
  before,
}: {
  readonly samples: readonly Sample[];
  readonly groups: readonly string[];
  readonly now: EngineCalls['rescore']['output'];
  readonly before: RunSpec;
}): Omit<Rescored, 'runId' | 'saved'> => {
  const own = ownTotals(before, samples, groups);
  const stored = own && own.total;
  const then = own && groupAdvantages(own.credit, groups);
  const old = (scorer: string) => {
    const values = samples.map(({ scores }) => scores[scorer] ?? Number.NaN);
    return values.every(Number.isFinite) ? values : null;
  };
  return {
    rows: samples.length,
    groups: new Set(groups).size,
    faults: now.faults.length,
    failed: now.faults.slice(0, FAILED),
    recomputed: now.recomputed,
    scorers: Object.fromEntries(
      Object.entries(now.scores).map(([scorer, values]) => [scorer, compared(values, old(scorer))]),
    ),
    total: compared(now.total, stored),
    advantages: advantageChange(now.advantage, then),
    reordered: stored && reorderedShare(now.total, stored, groups),
    moved: stored && then ? movedAnswers(samples, now, { total: stored, advantage: then }) : [],
    points: stored ? totalPoints(now.total, stored) : { stored: [], now: [] },
  };
};
