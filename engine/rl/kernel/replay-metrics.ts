import { quantileOfSorted } from '../../evaluate/moments.ts';
import { maskedSums, type Table } from './rows.ts';
import type { Columns } from './columns.ts';

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Quantiles that say how ages and weights are spread. */
const spread = { p10: 0.1, p50: 0.5, p90: 0.9 } as const;
const quantiles = (name: string, values: readonly number[]): { [name: string]: number } => {
  const sorted = Float64Array.from(values).sort();
  return Object.fromEntries(
    Object.entries(spread).map(([id, share]) => [`${name}/${id}`, quantileOfSorted(sorted, share)]),
  );
};

/**
 * Metrics of replayed rows (`row/fresh` is 0, `row/age` is there): their share of the batch, mean and
 * quantiles of their age in batches, and the effective sample size (Σw)² ⁄ (n·Σw²) as a share of them (Kish),
 * by their importance weights if a stage or a term evaluated the policy on them, the share of all weight that
 * the heaviest has, and quantiles and maximum of the weights over their mean. Empty without replay.
 */
export const replayMetrics = (table: Table): { [name: string]: number } => {
  const { 'row/fresh': fresh, 'row/age': age, 'row/importance': importance } = table as Partial<Columns>;
  if (!fresh || !age) return {};
  const stale = [...fresh.keys()].filter((r) => fresh[r] === 0);
  const metrics: { [name: string]: number } = { 'replay/share': stale.length / Math.max(fresh.length, 1) };
  if (stale.length === 0) return metrics;
  const ages = stale.map((r) => age[r]);
  metrics['replay/age'] = mean(ages);
  Object.assign(metrics, quantiles('replay/age', ages));
  const weights_R = importance ?? ratios(table);
  if (weights_R) {
    const weights = stale.map((r) => weights_R[r]);
    const squares = mean(weights.map((w) => w * w));
    const average = mean(weights);
    metrics['replay/effective_sample_size'] = squares > 0 ? average ** 2 / squares : 0;
    const heaviest = weights.reduce((a, b) => Math.max(a, b), 0);
    const sum = average * weights.length;
    metrics['replay/heaviest'] = sum > 0 ? heaviest / sum : 0;
    // weights of a run that diverged have no order
    if (sum > 0 && Number.isFinite(sum)) {
      const relative = weights.map((w) => w / average);
      Object.assign(metrics, quantiles('replay/weight', relative));
      metrics['replay/weight/max'] = heaviest / average;
    }
  }
  return metrics;
};

/** Importance of whole answers, π ⁄ μ, at most e³⁰, if the policy's log-probabilities are a column. */
const ratios = (table: Table): Float64Array | undefined => {
  const { mask, behaviorLogp, 'logp/policy': policy } = table as Partial<Columns>;
  if (!mask || !behaviorLogp || !policy) return undefined;
  const then_R = maskedSums(behaviorLogp, mask);
  return maskedSums(policy, mask).map((now, r) => Math.exp(Math.min(now - then_R[r], 30)));
};
