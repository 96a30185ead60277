/** Several scorers as one reward: a weighted sum, with every raw value kept; `composers` has other totals. */
import type { RewardSpec } from '../schema/run-spec.ts';
import { WhetstoneError } from '../common/errors.ts';
import { partsOf, type Parts } from './combine.ts';
import { rewards } from './index.ts';
import {
  lineCount,
  turnCount,
  type AnswerRow,
  type Reward,
  type RewardContext,
  type RowFault,
  type Scorer,
} from './reward.ts';

export interface StackScores {
  /** Σ weight · value; with a composer, its total. */
  readonly total: Float64Array;
  /** The reward to learn from, if a composer makes another one than the total. */
  readonly credit?: Float64Array;
  /**
   * Each scorer's value by its id; the same reward with other parameters is `id#2`, `id#3`, …; a corrected
   * value's raw one is `id/raw`; for a scorer that can fail, `id/failed` is 1 on failed rows.
   */
  readonly raw: { readonly [scorer: string]: Float64Array };
  /**
   * Each line's contribution to the total, if a weighted scorer can compute it; the rest of the total is on
   * the last line.
   */
  readonly lines?: Parts;
  /** Contributions of turns to the total, of the weighted scorers that know them; `lines` leaves those out. */
  readonly turns?: Parts;
}

export interface Stack {
  readonly scorers: readonly string[];
  /** Their weights in the total. */
  readonly weights?: readonly number[];
  /** The scorers' states by name, and restoring them. */
  state(): { readonly [scorer: string]: unknown };
  restore(saved: { readonly [scorer: string]: unknown }): void;
  /** `progress`: share of the run's updates that are done, 0–1; 1 if absent. */
  score(rows: readonly AnswerRow[], progress?: number): Promise<StackScores>;
}

/** A reward of a run; `where`: its path in the specification, if that is not its place in the list. */
export type PlacedReward = RewardSpec & { readonly where?: string };

const rewardOf = (id: string): Reward => {
  const reward = rewards.find((r) => r.id === id);
  if (!reward) throw new WhetstoneError('not-found', `There is no reward '${id}'.`, { where: 'rewards' });
  return reward;
};

export interface NamedReward {
  readonly name: string;
  readonly id: string;
  readonly weight: number;
  readonly params: RewardSpec['params'];
  readonly where: string;
}

/**
 * The scorers of a run under the names of their values: equal rewards with equal parameters are one scorer,
 * whose weights add up.
 */
export const namedRewards = (specs: readonly PlacedReward[]): readonly NamedReward[] => {
  const found = new Map<string, NamedReward>();
  for (const [at, { id, weight, params, where = `rewards.${at}` }] of specs.entries()) {
    const key = `${id} ${JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
    const same = found.get(key);
    const earlier = [...found.values()].filter((entry) => entry.id === id).length;
    found.set(
      key,
      same
        ? { ...same, weight: same.weight + weight }
        : { name: earlier === 0 ? id : `${id}#${earlier + 1}`, id, weight, params, where },
    );
  }
  return [...found.values()];
};

/**
 * Opens the rewards of a run. Equal rewards with equal parameters are opened and evaluated once, however
 * often they are named. Throws the errors of a reward's `open`, and `not-found` for an unknown id.
 */
export const openStack = async (specs: readonly PlacedReward[], given: RewardContext): Promise<Stack> => {
  const context: RewardContext = { ...given, open: (id, params) => rewardOf(id).open(params, context) };
  const opened: (NamedReward & { readonly scorer: Scorer })[] = [];
  for (const each of namedRewards(specs))
    opened.push({
      ...each,
      scorer: await rewardOf(each.id).open(each.params, { ...context, where: each.where }),
    });
  return {
    scorers: opened.map(({ name }) => name),
    weights: opened.map(({ weight }) => weight),
    state: () =>
      Object.fromEntries(
        opened.flatMap(({ name, scorer }) => (scorer.state ? [[name, scorer.state()]] : [])),
      ),
    restore: (saved) => {
      for (const { name, scorer } of opened) if (name in saved) scorer.restore?.(saved[name]);
    },
    score: async (rows) => {
      const total = new Float64Array(rows.length);
      const raw: { [scorer: string]: Float64Array } = {};
      const counting: Weighed[] = [];
      for (const { name, weight, scorer } of opened) {
        const scores = await scorer.detail(rows);
        raw[name] = scores.value;
        if (scores.raw) raw[`${name}/raw`] = scores.raw;
        if (scores.faults) raw[`${name}/failed`] = failedOf(name, rows, scores.faults, context);
        if (weight === 0) continue;
        scores.value.forEach((value, r) => {
          total[r] += weight * value;
        });
        counting.push({ weight, ...scores });
      }
      const inTurns = counting.filter(({ turns }) => turns);
      const others = counting.filter(({ turns }) => !turns);
      return {
        total,
        raw,
        ...(others.some(({ lines }) => lines) && { lines: linesOf(rows, others) }),
        ...(inTurns.length > 0 && { turns: turnsOf(rows, inTurns) }),
      };
    },
  };
};

interface Weighed {
  readonly weight: number;
  readonly value: Float64Array;
  readonly lines?: Parts;
  readonly turns?: Parts;
}

/** Weighted contributions turn by turn, of scorers that all have them. */
const turnsOf = (rows: readonly AnswerRow[], scored: readonly Weighed[]): Parts =>
  partsOf(
    rows.map((row, r) => {
      const sums = new Float64Array(turnCount(row));
      for (const { weight, turns } of scored)
        turns?.values.subarray(turns.offsets[r], turns.offsets[r + 1]).forEach((part, at) => {
          sums[at] += weight * part;
        });
      return sums;
    }),
  );

/** The total line by line. */
const linesOf = (rows: readonly AnswerRow[], scored: readonly Weighed[]): Parts => {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, r) => {
    offsets[r + 1] = offsets[r] + lineCount(row);
  });
  const values = new Float64Array(offsets[rows.length]);
  for (const { weight, value, lines } of scored) {
    if (lines)
      lines.values.forEach((part, at) => {
        values[at] += weight * part;
      });
    else
      value.forEach((whole, r) => {
        values[offsets[r + 1] - 1] += weight * whole;
      });
  }
  return { values, offsets };
};

/** 1 on the rows that failed; reports each one. */
const failedOf = (
  scorer: string,
  rows: readonly AnswerRow[],
  faults: readonly RowFault[],
  { report }: RewardContext,
): Float64Array => {
  const failed = new Float64Array(rows.length);
  for (const { row } of faults) failed[row] = 1;
  report?.(
    faults.map(({ row, kind, message }) => ({
      scorer,
      kind,
      message,
      prompt: rows[row].prompt,
      completion: rows[row].completion,
    })),
  );
  return failed;
};
