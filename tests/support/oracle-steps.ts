import { observedOf, ragged, type Table } from '../../engine/rl/kernel/rows.ts';

/** Steps of an oracle whose actions are two numbers, in a world of three observations. */
export interface OracleSteps {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
  readonly actions: readonly (readonly number[])[];
  readonly noise: readonly (readonly number[])[];
  readonly noiseAfter: readonly (readonly number[])[];
  readonly rewards: readonly number[];
  readonly terminal: readonly number[];
}

/** These steps as rows that are drawn from a ring, with their noise. */
export const stepRows = ({
  before,
  after,
  actions,
  noise,
  noiseAfter,
  rewards,
  terminal,
}: OracleSteps): Table => ({
  tokens: {
    ...ragged(
      before.map(() => [0, 0]),
      Int32Array,
    ),
    observed: observedOf(
      // the place of the action that led to the first state is never read
      before.map((state, r) =>
        Float32Array.of(...state, 9, 9, ...noise[r], ...after[r], ...actions[r], ...noiseAfter[r]),
      ),
      7,
    ),
  },
  mask: ragged(
    before.map(() => [0, 1]),
    Uint8Array,
  ),
  weight: new Float64Array(before.length).fill(1),
  'credit/earned': ragged(
    rewards.map((reward) => [0, reward]),
    Float64Array,
  ),
  'row/terminal': Float64Array.from(terminal),
});
