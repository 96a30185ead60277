/**
 * What controllers change of rows that have been made: credit of those drawn hotter or cooler than the role's
 * own distribution, and which are imitated.
 */
import type { Columns, PerToken } from '../kernel/columns.ts';
import type { Table } from '../kernel/rows.ts';

/** Bound of an importance weight. */
export const TRUNCATION = 2;

/**
 * Where a controller bends the temperature, tokens come from another distribution μ than the role's own π.
 * Each token's advantage is multiplied by the truncated importance weight min(π ⁄ μ, 2) (Ionides 2008,
 * "Truncated Importance Sampling"), and the objective's ratio starts at the role's own log-probabilities
 * instead of μ's. So objectives with a ratio and those without learn of the same distribution.
 * Log-probabilities of the role as it was when the rows were drawn are `own`. Rows without credit stay as
 * they are.
 */
export const importanceWeighted = (table: Table, own: PerToken): Table => {
  const { advantage, behaviorLogp, mask } = table as Partial<
    Pick<Columns, 'advantage' | 'behaviorLogp' | 'mask'>
  >;
  if (!advantage || !behaviorLogp || !mask) return table;
  const weightAt = (t: number) =>
    mask.values[t] ? Math.min(TRUNCATION, Math.exp(own.values[t] - behaviorLogp.values[t])) : 1;
  return {
    ...table,
    advantage: { ...advantage, values: advantage.values.map((credit, t) => credit * weightAt(t)) },
    behaviorLogp: { ...behaviorLogp, values: own.values.map((logp, t) => (mask.values[t] ? logp : 0)) },
  };
};

/**
 * How far rows lie from the role's own distribution: the mean of π ⁄ μ over their tokens, and the share of
 * tokens whose ratio is cut.
 */
export const importanceRatios = (table: Table, own: PerToken): { readonly [metric: string]: number } => {
  const { behaviorLogp, mask } = table as Partial<Pick<Columns, 'behaviorLogp' | 'mask'>>;
  if (!behaviorLogp || !mask) return {};
  const ratios = [...mask.values.keys()]
    .filter((t) => mask.values[t])
    .map((t) => Math.exp(own.values[t] - behaviorLogp.values[t]));
  if (ratios.length === 0) return {};
  const share = (of: (ratio: number) => number) =>
    ratios.reduce((sum, ratio) => sum + of(ratio), 0) / ratios.length;
  return {
    'sampling/importance_sampling_ratio/mean': share((ratio) => ratio),
    'sampling/importance_sampling_ratio/truncated': share((ratio) => Number(ratio > TRUNCATION)),
  };
};

/**
 * Rows without credit are imitated: those whose reward is below a threshold weigh 0. Where all are, they stay
 * as they were.
 */
export const imitated = (table: Table, threshold: number): Table => {
  const {
    advantage,
    weight,
    'reward/total': rewards_R,
  } = table as Partial<Pick<Columns, 'advantage' | 'weight' | 'reward/total'>>;
  if (
    threshold === -Infinity ||
    advantage ||
    !weight ||
    !rewards_R ||
    !rewards_R.some((reward) => reward >= threshold)
  )
    return table;
  return { ...table, weight: weight.map((share, r) => (rewards_R[r] >= threshold ? share : 0)) };
};
