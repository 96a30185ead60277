import type { RandomStream } from '../../random/random.ts';

/** `length` numbers, each `value`. */
export const filled = (length: number, value = 0): number[] => new Array<number>(length).fill(value);

/** Largest value of a state in a table of [states × actions]. */
export const largest = (q: readonly number[], state: number, actions: number): number => {
  let best = -Infinity;
  for (let pair = state * actions; pair < (state + 1) * actions; pair++) if (q[pair] > best) best = q[pair];
  return best;
};

/** Action with the largest value; on a tie the first, or with `draw` one of them at random. */
export const greedyAction = (
  q: readonly number[],
  state: number,
  actions: number,
  draw?: RandomStream,
): number => {
  const best = largest(q, state, actions);
  const ties: number[] = [];
  for (let action = 0; action < actions; action++)
    if (q[state * actions + action] === best) ties.push(action);
  return draw && ties.length > 1 ? draw.pick(ties) : ties[0];
};

/** A random action with probability `epsilon`, else a greedy one. */
export const epsilonGreedy = (
  q: readonly number[],
  state: number,
  actions: number,
  epsilon: number,
  draw: RandomStream,
): number => (draw.next() < epsilon ? draw.int(actions) : greedyAction(q, state, actions, draw));

/** Index drawn in proportion to weights of 0 or more, not all 0. */
export const drawn = (weights: readonly number[], draw: RandomStream): number => {
  let left = draw.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let at = 0; at < weights.length; at++) {
    left -= weights[at];
    if (left < 0) return at;
  }
  return weights.length - 1;
};

/** Probabilities exp(x − log Σ exp) of one state’s row of [states × actions]. */
export const softmaxRow = (logits: readonly number[], state: number, actions: number): number[] => {
  const row = logits.slice(state * actions, (state + 1) * actions);
  const top = Math.max(...row);
  const weights = row.map((logit) => Math.exp(logit - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};
