import { maskedSums, type Table } from './rows.ts';
import type { Columns } from './columns.ts';

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/**
 * Metrics of replayed rows (`row/fresh` is 0, `row/age` is there): their share of the batch, their mean age
 * in batches, and the effective sample size (Σw)² ⁄ (n·Σw²) as a share of them (Kish), by their importance
 * weights if a stage or a term evaluated the policy on them, and the share of all weight that the heaviest
 * has. Empty without replay.
 */
export const replayMetrics = (table: Table): { [name: string]: number } => {
  const { 'row/fresh': fresh, 'row/age': age, 'row/importance': importance } = table as Partial<Columns>;
  if (!fresh || !age) return {};
  const stale = [...fresh.keys()].filter((r) => fresh[r] === 0);
  const metrics: { [name: string]: number } = { 'replay/share': stale.length / Math.max(fresh.length, 1) };
  if (stale.length === 0) return metrics;
  metrics['replay/age'] = mean(stale.map((r) => age[r]));
  const weights_R = importance ?? ratios(table);
  if (weights_R) {
    const weights = stale.map((r) => weights_R[r]);
    const squares = mean(weights.map((w) => w * w));
    metrics['replay/effective_sample_size'] = squares > 0 ? mean(weights) ** 2 / squares : 0;
    const sum = mean(weights) * weights.length;
    metrics['replay/heaviest'] = sum > 0 ? weights.reduce((a, b) => Math.max(a, b), 0) / sum : 0;
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
