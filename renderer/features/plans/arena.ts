import type { Arena, ArenaCandidate } from '../../../preload/contract/plans.ts';
import { markOf } from '../../lib/run-colors.svelte.ts';
import { metricText, plural, withInterval } from '../../lib/format.ts';

/** What a person can ask of an arena; resolves with false if it was refused. */
export interface ArenaActions {
  decide(
    arena: string,
    wish: Pick<ArenaCandidate, 'id' | 'mode'> & { readonly code?: string; readonly origin?: string },
  ): Promise<boolean>;
}

/** State of a candidate in words, the most important first. */
export function stateText({ isLive, isLeading, mode, scores }: ArenaCandidate, isOpen: boolean): string {
  const words = [
    isLive && 'running',
    mode === 'paused' && 'stopped',
    isLeading && 'leading',
    mode === 'pinned' && 'pinned',
  ].filter((word) => word !== false);
  return words.join(', ') || (!isOpen ? 'done' : scores.length ? 'waiting' : 'not begun');
}

/** Its share of the finished budgets, 0–1. */
export const shareOf = ({ scores }: ArenaCandidate, { pulls }: Arena): number =>
  pulls.length === 0 ? 0 : scores.length / pulls.length;

export const shareText = (candidate: ArenaCandidate, arena: Arena): string =>
  `${candidate.scores.length} of ${plural(arena.pulls.length, 'budget')}, ${Math.round(100 * shareOf(candidate, arena))} %`;

/** The newest value; null before the first. */
export const newestOf = ({ scores }: ArenaCandidate): number | null => scores.at(-1) ?? null;

export const scoreText = (candidate: ArenaCandidate, { metric }: Arena): string => {
  const newest = newestOf(candidate);
  if (newest === null) return '–';
  const { interval } = candidate;
  return interval ? withInterval(newest, interval) : metricText(`eval/${metric}`)(newest);
};

/** Axis of all cards: the range of the metric, worst to best. */
export const domainOf = ({ range: [a, b] }: Arena): readonly [number, number] => [
  Math.min(a, b),
  Math.max(a, b),
];

/** Points of a candidate's values over its budgets. */
export const pointsOf = ({ scores }: ArenaCandidate) =>
  scores.flatMap((value, at) =>
    value === null ? [] : [{ x: at + 1, value, interval: [value, value] as const }],
  );

/** What the regret is measured against: the oracle if it is known, else the best value that was seen. */
export function referenceOf({ oracle, pulls, range }: Arena): { value: number; isOracle: boolean } | null {
  if (oracle !== null) return { value: oracle, isOracle: true };
  const seen = pulls.flatMap(({ value }) => value ?? []);
  if (seen.length === 0) return null;
  return { value: range[1] > range[0] ? Math.max(...seen) : Math.min(...seen), isOracle: false };
}

/**
 * Regret summed over the budgets: how far each value is from the reference, in the metric's better direction. Next to
 * it the value after each budget, and the reference.
 */
export function regretLines(arena: Arena) {
  const reference = referenceOf(arena);
  if (reference === null) return { regret: [], values: [] };
  const sign = Math.sign(arena.range[1] - arena.range[0]);
  const steps = Float64Array.from(arena.pulls, (_pull, at) => at + 1);
  let sum = 0;
  const regret = Float64Array.from(
    arena.pulls,
    ({ value }) => (sum += sign * (reference.value - (value ?? arena.range[0]))),
  );
  const line = (id: string, label: string, index: number, values: Float64Array) => ({
    id,
    label,
    mark: markOf(index),
    steps,
    values,
  });
  return {
    regret: [line('regret', 'regret', 0, regret)],
    values: [
      line(
        'value',
        'after each budget',
        0,
        Float64Array.from(arena.pulls, ({ value }) => value ?? NaN),
      ),
      line(
        'reference',
        reference.isOracle ? 'oracle' : 'best so far',
        1,
        Float64Array.from(arena.pulls, () => reference.value),
      ),
    ],
  };
}
