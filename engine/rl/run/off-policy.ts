/**
 * Off-policy correction: adjusts the credit of rows sampled from another distribution than the role's own (at
 * another temperature, truncated, guided or held to a grammar), and filters rows for imitation.
 */
import type { Columns, PerToken } from '../kernel/columns.ts';
import { importanceOf } from '../kernel/probes/importance.ts';
import type { Table } from '../kernel/rows.ts';

/** Upper bound of the importance weights. */
export const TRUNCATION = 2;

/** Log-probabilities with which the tokens were drawn, truncation included; 0 where no answer is. */
const drawnLogp = ({
  behaviorLogp,
  keptLogp,
}: Pick<Columns, 'behaviorLogp'> & Partial<Pick<Columns, 'keptLogp'>>): Float32Array =>
  keptLogp?.values.length === behaviorLogp.values.length
    ? behaviorLogp.values.map((logp, t) => logp - keptLogp.values[t])
    : behaviorLogp.values;

/**
 * Off-policy correction for answers whose tokens come from another distribution μ than the role's own π.
 * Multiplies each token's advantage by the truncated importance weight min(π ⁄ μ, 2) (Ionides 2008, "Truncated
 * Importance Sampling"), and replaces μ's log-probabilities by the role's own as the start of the objective's
 * ratio. Objectives with and without a ratio so learn from the same
 * distribution. `own`: log-probabilities of the role when the rows were sampled. Rows without advantages are
 * unchanged.
 */
export const importanceWeighted = (table: Table, own: PerToken): Table => {
  const { advantage, behaviorLogp, keptLogp, mask } = table as Partial<
    Pick<Columns, 'advantage' | 'behaviorLogp' | 'keptLogp' | 'mask'>
  >;
  if (!advantage || !behaviorLogp || !mask) return table;
  const drawn = drawnLogp({ behaviorLogp, keptLogp });
  const weightAt = (t: number) =>
    mask.values[t] ? Math.min(TRUNCATION, Math.exp(own.values[t] - drawn[t])) : 1;
  return {
    ...table,
    advantage: { ...advantage, values: advantage.values.map((credit, t) => credit * weightAt(t)) },
    behaviorLogp: { ...behaviorLogp, values: own.values.map((logp, t) => (mask.values[t] ? logp : 0)) },
  };
};

/**
 * Metrics of the importance ratios: mean of π ⁄ μ over the tokens, share of truncated tokens, differences of
 * log-probabilities, and the effective sample size of the answers.
 */
export const importanceRatios = (table: Table, own: PerToken): { readonly [metric: string]: number } => {
  const { behaviorLogp, keptLogp, mask } = table as Partial<
    Pick<Columns, 'behaviorLogp' | 'keptLogp' | 'mask'>
  >;
  if (!behaviorLogp || !mask) return {};
  const drawn = drawnLogp({ behaviorLogp, keptLogp });
  const ratios = [...mask.values.keys()]
    .filter((t) => mask.values[t])
    .map((t) => Math.exp(own.values[t] - drawn[t]));
  if (ratios.length === 0) return {};
  const compared = importanceOf(own, { ...behaviorLogp, values: drawn }, mask);
  const share = (of: (ratio: number) => number) =>
    ratios.reduce((sum, ratio) => sum + of(ratio), 0) / ratios.length;
  return {
    'sampling/importance_sampling_ratio/mean': share((ratio) => ratio),
    'sampling/importance_sampling_ratio/truncated': share((ratio) => Number(ratio > TRUNCATION)),
    ...(compared && {
      'sampling/sampling_logp_difference/mean': compared.difference.mean,
      'sampling/sampling_logp_difference/max': compared.difference.max,
      'sampling/effective_sample_size': compared.effective,
    }),
  };
};

/**
 * Gives weight 0 to imitated rows with a reward below the threshold. If all are below it, the rows are
 * unchanged.
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
