import { readFileSync } from 'node:fs';
import { buildLoss, type Objective } from '../../engine/rl/kernel/objective.ts';
import { isPerToken, ragged, type Table } from '../../engine/rl/kernel/rows.ts';
import type { ColumnValue, PerToken } from '../../engine/rl/kernel/columns.ts';
import { evaluate, grad, input, type Expr } from '../../engine/tensor/index.ts';
import { noSteps } from './no-steps.ts';

/** Oracle numbers: rows of log-probabilities, padded to the longest, and each case's results. */
export interface Oracle {
  readonly lengths: readonly number[];
  readonly logp: readonly (readonly number[])[];
  readonly cases: {
    readonly [name: string]: { readonly loss: number; readonly gradient: readonly (readonly number[])[] };
  };
}

export const readOracle = <O = Oracle>(name: string): O =>
  JSON.parse(readFileSync(new URL(`./oracles/${name}.json`, import.meta.url), 'utf8')) as O;

/** Padded rows of an oracle as a column. */
export const oracleRows = ({ lengths }: Oracle, values: readonly (readonly number[])[]): PerToken =>
  ragged(values, Float32Array, (row, r) => row.slice(0, lengths[r]));

/** Tokens and a mask for an oracle's rows: every token is one of the answer. */
export const oracleAnswers = ({ lengths }: Oracle) => ({
  tokens: ragged(lengths, Int32Array, (n) => new Int32Array(n)),
  mask: ragged(lengths, Uint8Array, (n) => new Uint8Array(n).fill(1)),
});

/**
 * An objective's loss on one micro-batch of these rows, in float64, and its gradient with respect to the
 * log-probabilities (for a critic: to its values), row by row.
 */
export const lossAndGradient = (
  objective: Objective,
  table: Table,
  { lengths, logp: values }: Oracle,
): { loss: number; gradient: ArrayLike<number> } => {
  const [R, T] = [lengths.length, Math.max(...lengths)];
  const logp = input('logp', { dtype: 'float32', shape: [R, T] });
  const feeds: Record<string, Float64Array> = { logp: Float64Array.from(values.flat()) };
  const padded = (column: Extract<ColumnValue, { axis: 'T' }>) =>
    Float64Array.from({ length: R * T }, (_, at) => {
      const [r, t] = [Math.floor(at / T), at % T];
      return t < lengths[r] ? column.values[column.offsets[r] + t] : 0;
    });
  const inputs = (at: number): { [name: string]: Expr } => {
    const prepared = objective.terms[at].prepare(table, { maxTokens: T });
    return new Proxy(
      {},
      {
        get: (_, name) => {
          if (name === 'tokens') return logp;
          const column = prepared[String(name)] ?? table[String(name)];
          const feed = `${at}/${String(name)}`;
          feeds[feed] = isPerToken(column) ? padded(column) : (column as Float64Array);
          return input(feed, { dtype: 'float32', shape: isPerToken(column) ? [R, T] : [R] });
        },
      },
    );
  };
  const unasked = () => {
    throw new Error('the oracle has log-probabilities only');
  };
  const { loss } = buildLoss(objective, inputs, {
    logp: () => logp,
    // reported only
    entropy: () => logp,
    meanLogp: unasked,
    ofLogits: unasked,
    against: unasked,
    width: 0,
    shiftedLogp: unasked,
    score: unasked,
    features: unasked,
    step: noSteps,
    bonus: noSteps,
    values: () => logp,
    verdicts: () => logp,
  });
  const [gradient] = grad(loss, [logp]);
  const [value, slope] = evaluate([loss, gradient], feeds);
  return { loss: value.data[0], gradient: slope.data };
};
