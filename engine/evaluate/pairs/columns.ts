/** Inspected pairs as columns of numbers, and the pairs behind a mark among them, in an order. */
import { WhetstoneError } from '../../common/errors.ts';
import type { RewardInspection } from '../../schema/evaluation.ts';
import type { InspectedPair, NumberFilter, PairOrder } from '../../schema/inspected-pair.ts';
import type { Verdict } from '../../schema/preference.ts';
import { sigmoid } from '../calibration.ts';
import type { Sides } from '../inspect-pairs.ts';

/** The numbers of inspected pairs, each a column over pairs; NaN where a value is unknown. */
export const pairColumns = [
  'chosenScore',
  'rejectedScore',
  'odds',
  'chosenTokens',
  'rejectedTokens',
  'chosenCorrect',
  'rejectedCorrect',
  'verdict',
  'weight',
  'strength',
  'promptNumber',
  'chosenNumber',
  'rejectedNumber',
] as const;
export type PairColumn = (typeof pairColumns)[number];
export type PairNumbers = Readonly<Record<PairColumn, Float64Array>> & { readonly size: number };

/** Verdicts by their numbers in the column `verdict`; the first two prefer an answer. */
export const verdicts: readonly Verdict[] = ['a', 'b', 'tie', 'both-bad', 'skip'];

const numberOf = (value: number | boolean | null | undefined): number =>
  value === null || value === undefined ? Number.NaN : Number(value);

/** A column's value of a pair. */
export const columnValue = (pair: InspectedPair, column: PairColumn): number =>
  column === 'verdict' ? verdicts.indexOf(pair.verdict) : numberOf(pair[column]);

/** The columns of pairs. */
export const columnsOf = (pairs: readonly InspectedPair[]): PairNumbers => {
  const columns = Object.fromEntries(
    pairColumns.map((column) => [column, Float64Array.from(pairs, (pair) => columnValue(pair, column))]),
  ) as Record<PairColumn, Float64Array>;
  return { ...columns, size: pairs.length };
};

export const isDecided = ({ verdict }: PairNumbers, at: number): boolean => verdict[at] < 2;

/** Score of the chosen answer less that of the rejected one. */
export const marginAt = ({ chosenScore, rejectedScore }: PairNumbers, at: number): number =>
  chosenScore[at] - rejectedScore[at];

/** 1 if the model agrees with the verdict, 0 if not, ½ for equal scores. */
export const hitAt = (columns: PairNumbers, at: number): number => {
  const margin = marginAt(columns, at);
  return margin > 0 ? 1 : margin === 0 ? 0.5 : 0;
};

const known = (value: number): boolean | null => (Number.isNaN(value) ? null : value === 1);

/** Lengths and correctness of a pair's answers. */
export const sidesAt = (columns: PairNumbers, at: number): Sides => ({
  chosen: { tokens: columns.chosenTokens[at], correct: known(columns.chosenCorrect[at]) },
  rejected: { tokens: columns.rejectedTokens[at], correct: known(columns.rejectedCorrect[at]) },
});

/** Length of the chosen answer over that of the rejected one, in tokens; 1 for two empty ones. */
export const lengthRatioAt = ({ chosenTokens, rejectedTokens }: PairNumbers, at: number): number =>
  Math.max(chosenTokens[at], 1) / Math.max(rejectedTokens[at], 1);

/** p log(p / q), 0 for p = 0. */
const divergence = (p: number, q: number): number => (p === 0 ? 0 : p * Math.log(p / q));
/** Probabilities of the model are kept this far from 0 and 1, so that divergences are finite. */
const MARGIN = 1e-12;

/**
 * Disagreement of the model with a label: KL(w ‖ σ(odds)) of two Bernoulli distributions, in nats, times
 * strength / 2. w is the label's certainty, 1 if unknown, and then this is −log σ(odds); strength is 2 if
 * unknown. 0 for a pair without a preferred answer.
 */
export const disagreementAt = (columns: PairNumbers, at: number): number => {
  if (!isDecided(columns, at)) return 0;
  const [w, s] = [columns.weight[at], columns.strength[at]];
  const certainty = Number.isNaN(w) ? 1 : w;
  const model = Math.min(1 - MARGIN, Math.max(MARGIN, sigmoid(columns.odds[at])));
  const nats = divergence(certainty, model) + divergence(1 - certainty, 1 - model);
  return (nats * (Number.isNaN(s) ? 2 : s)) / 2;
};

/** Bins are closed below and open above, the last one of a range closed on both sides. */
const inside = (x: number, from: number, to: number, isLast: boolean): boolean =>
  x >= from && (x < to || (isLast && x === to));

const binNamed = <B>(bins: readonly B[], { kind, bin }: { kind: string; bin: number }): B => {
  const found = bins[bin];
  if (found === undefined)
    throw new WhetstoneError('not-found', `The inspection has no bin ${bin + 1} of its ${kind}.`, {
      where: kind,
      hint: `It has ${bins.length}.`,
    });
  return found;
};

type Holds = (at: number) => boolean;

/** A test of pairs for the bar of a histogram of scores; an answer's score is counted in undecided pairs too. */
const scoreTest = (columns: PairNumbers, bins: RewardInspection['scores'], bin: number): Holds => {
  const { from, to } = binNamed(bins, { kind: 'scores', bin });
  const isLast = bin === bins.length - 1;
  return (at) =>
    inside(columns.chosenScore[at], from, to, isLast) || inside(columns.rejectedScore[at], from, to, isLast);
};

/** A test of pairs for a mark. `slices`: the positions of each slice by its column and name. */
const markTest = (
  columns: PairNumbers,
  inspection: RewardInspection,
  mark: NonNullable<NumberFilter['mark']>,
  slicePositions: (by: string, name: string) => Iterable<number>,
): Holds => {
  switch (mark.kind) {
    case 'scores':
      return scoreTest(columns, inspection.scores, mark.bin);
    case 'margins': {
      const { from, to } = binNamed(inspection.margins, mark);
      const isLast = mark.bin === inspection.margins.length - 1;
      return (at) => isDecided(columns, at) && inside(marginAt(columns, at), from, to, isLast);
    }
    case 'reliability': {
      const { from, to } = binNamed(inspection.reliability, mark);
      return (at) =>
        isDecided(columns, at) && inside(sigmoid(Math.abs(columns.odds[at])), from, to, to === 1);
    }
    case 'slice': {
      const own = new Set(slicePositions(mark.by, mark.name));
      return (at) => own.has(at);
    }
    case 'positions': {
      const own = new Set(mark.positions);
      return (at) => own.has(at);
    }
  }
};

const hitOf = { right: 1, wrong: 0, equal: 0.5 } as const;

/** Positions of the pairs behind a filter, rising: without a mark of scores or positions, only decided ones. */
export const matchingPairs = (
  columns: PairNumbers,
  inspection: RewardInspection,
  { mark, outcome }: NumberFilter,
  slicePositions: (by: string, name: string) => Iterable<number>,
): Uint32Array => {
  const holds = mark
    ? markTest(columns, inspection, mark, slicePositions)
    : (at: number) => isDecided(columns, at);
  const found: number[] = [];
  for (let at = 0; at < columns.size; at++) {
    if (!holds(at)) continue;
    if (outcome && !(isDecided(columns, at) && hitAt(columns, at) === hitOf[outcome])) continue;
    found.push(at);
  }
  return Uint32Array.from(found);
};

/** Number of distinct answers with a score in a bar, among pairs: what the bar counts. */
export const answersInBar = (
  columns: PairNumbers,
  inspection: RewardInspection,
  bin: number,
  positions: Iterable<number>,
): number => {
  const { from, to } = binNamed(inspection.scores, { kind: 'scores', bin });
  const isLast = bin === inspection.scores.length - 1;
  const { chosenScore, rejectedScore, chosenNumber, rejectedNumber } = columns;
  const found = new Set<number>();
  for (const at of positions) {
    if (inside(chosenScore[at], from, to, isLast)) found.add(chosenNumber[at]);
    if (inside(rejectedScore[at], from, to, isLast)) found.add(rejectedNumber[at]);
  }
  return found.size;
};

/** An order that the numbers of one judge decide. */
type OwnOrder = Exclude<PairOrder, 'ensemble'>;

const rankOf: Readonly<Record<OwnOrder, (columns: PairNumbers, at: number) => number>> = {
  stored: (_columns, at) => at,
  hardest: (columns, at) => Math.abs(marginAt(columns, at)),
  'surest-error': (columns, at) => marginAt(columns, at),
  disagreement: (columns, at) => -disagreementAt(columns, at),
  'longest-ratio': (columns, at) => -Math.abs(Math.log(lengthRatioAt(columns, at))),
};

/** Positions by rising rank, equal ones in the order of the data; those without a rank (NaN) last. */
export const byRank = (positions: Uint32Array, rank: ArrayLike<number>): Uint32Array => {
  const key = (at: number): number => (Number.isNaN(rank[at]) ? Infinity : rank[at]);
  return Uint32Array.from(positions).sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b));
};

/** Positions in an order; undecided pairs last, equal ones in the order of the data. */
export const orderedPairs = (columns: PairNumbers, positions: Uint32Array, order: OwnOrder): Uint32Array => {
  if (order === 'stored') return positions;
  const rank = new Float64Array(columns.size).fill(Number.NaN);
  for (const at of positions)
    if (isDecided(columns, at) || order === 'longest-ratio') rank[at] = rankOf[order](columns, at);
  return byRank(positions, rank);
};
