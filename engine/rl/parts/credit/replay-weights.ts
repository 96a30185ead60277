/** Priorities of drawn steps, from what the current networks say of them. */
import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { observedOf, observedRow } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import type { ReplayRule } from '../buffers/draw-stored.ts';

interface Weighing {
  readonly gamma: number;
  /** Temperature of the density ratio exp(δ ⁄ β). */
  readonly beta: number;
  /** λ: how far one draw moves a weight. */
  readonly rate: number;
  /** Greatest ratio that counts. */
  readonly bound: number;
}

interface Drawn {
  readonly tokens: Columns['tokens'];
  readonly earned_R: Float64Array;
  /** 0 behind a terminal state, 1 elsewhere. */
  readonly goesOn_R: Float64Array;
  readonly old_R: Float64Array;
  readonly policy: ModelPort;
  readonly target: ModelPort;
}

/** Exponent of |TD error|, and what is added to it, so that no step is lost. */
const [EXPONENT, LEAST_ERROR] = [0.4, 1e-3];
/** A weight is never below that of a new step. */
const LEAST_WEIGHT = 1;

/**
 * Priorities that the buffer takes over. `regularized` (ROER, arXiv:2407.03995): δ = r + γ · V(s') − V(s), e
 * = exp(δ ⁄ β) within [1, bound], over the batch's mean of w · e; then w ← max(1, (λ · e + 1 − λ) · w).
 * `prioritized` (Schaul et al., arXiv:1511.05952): |TD error|^0.4, the mean of both critics' against the
 * target of `softValues`. `uniform`: none. Rows of one step, with noise behind the state that follows.
 */
export const replayWeights = ({ by, ...how }: Weighing & { readonly by: ReplayRule }) =>
  stage({
    id: `replayWeights(${Object.values({ by, ...how }).join(', ')})`,
    station: 'credit',
    needs: ['tokens', 'credit/earned', 'row/terminal', 'row/priority', 'model/policy', 'model/average'],
    adds: ['row/priority'],
    run: async (inputs) => {
      const { tokens, 'credit/earned': earned, 'row/terminal': terminal, 'row/priority': old_R } = inputs;
      if (by === 'uniform' || old_R.length === 0) return { columns: { 'row/priority': old_R } };
      const drawn: Drawn = {
        tokens,
        earned_R: terminal.map((_, r) => earned.values[earned.offsets[r + 1] - 1]),
        goesOn_R: terminal.map((ends) => 1 - ends),
        old_R,
        policy: inputs['model/policy'],
        target: inputs['model/average'],
      };
      return {
        columns: { 'row/priority': await (by === 'regularized' ? regularized : byError)(drawn, how) },
      };
    },
  });

const regularized = async (
  { tokens, earned_R, goesOn_R, old_R, policy }: Drawn,
  { gamma, beta, rate, bound }: Weighing,
): Promise<Float64Array> => {
  const { values, offsets } = await policy.verdicts(tokens);
  const ratio_R = earned_R.map((earned, r) => {
    const [before, after] = [values[offsets[r]], values[offsets[r] + 1]];
    const delta = earned + gamma * goesOn_R[r] * after - before;
    return Math.min(Math.max(Math.exp(delta / beta), 1), bound);
  });
  const mean = ratio_R.reduce((sum, ratio, r) => sum + ratio * old_R[r], 0) / ratio_R.length;
  return old_R.map((old, r) => Math.max(LEAST_WEIGHT, ((rate * ratio_R[r]) / mean + 1 - rate) * old));
};

const byError = async (
  { tokens, earned_R, goesOn_R, policy, target }: Drawn,
  { gamma }: Weighing,
): Promise<Float64Array> => {
  const [{ values: taken }, next] = [await policy.stepValues(tokens), await policy.nextActions(tokens)];
  const { values: after } = await target.stepValues(behind(tokens, next));
  return earned_R.map((earned, r) => {
    const entropy = next.values[(r + 1) * next.width - 1];
    const soft = Math.min(after[2 * r], after[2 * r + 1]) - entropy;
    const wanted = earned + gamma * goesOn_R[r] * soft;
    const error = (Math.abs(taken[2 * r] - wanted) + Math.abs(taken[2 * r + 1] - wanted)) / 2;
    return (error + LEAST_ERROR) ** EXPONENT;
  });
};

/**
 * Rows of one step that begin where these end, with other actions [R × (A + 1)], of which the last number is
 * left out.
 */
const behind = (
  tokens: Columns['tokens'],
  { values, width: beside }: { readonly values: Float64Array; readonly width: number },
): Columns['tokens'] => {
  const width = tokens.observed?.width ?? 0;
  const size = beside - 1;
  const rows = Array.from({ length: tokens.offsets.length - 1 }, (_, r) => {
    const row = new Float32Array(2 * width);
    row.set(observedRow(tokens, r).subarray(width));
    row.set(values.subarray(r * beside, r * beside + size), 2 * width - 2 * size);
    return row;
  });
  return { ...tokens, observed: observedOf(rows, width) };
};
