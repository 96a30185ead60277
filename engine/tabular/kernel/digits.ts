/**
 * Actions as binary digits from coarse to fine, each with soft advantages that depend on the digits before
 * it.
 */

/**
 * A digit of an action: the number of the node where it is chosen, from 0, and 0 for the lower half, 1 for
 * the upper.
 */
type Digit = readonly [node: number, bit: number];

/** Nodes of each state: enough for any `actions`. */
export const nodesOf = (actions: number): number => 2 ** Math.ceil(Math.log2(Math.max(2, actions)));

/** Digits of the action that `choose` arrives at, and the action; a half without a choice has no digit. */
export const descend = (
  actions: number,
  choose: (node: number, halves: readonly [number, number]) => number,
): { readonly digits: Digit[]; readonly action: number } => {
  const digits: Digit[] = [];
  let [low, high, node] = [0, actions, 1];
  while (high - low > 1) {
    const middle = Math.ceil((low + high) / 2);
    const bit = choose(node - 1, [middle - low, high - middle]);
    digits.push([node - 1, bit]);
    [low, high] = bit === 0 ? [low, middle] : [middle, high];
    node = 2 * node + bit;
  }
  return { digits, action: low };
};

/** The digits of an action. */
export const digitsOf = (action: number, actions: number): Digit[] => {
  let low = 0;
  return descend(actions, (_, [lower]) => {
    const bit = action < low + lower ? 0 : 1;
    if (bit === 1) low += lower;
    return bit;
  }).digits;
};

/**
 * Soft advantages of both halves from two logits: those at which the mean of exp(A/τ), weighted by the number
 * of actions in each half, is 1; and the policy, weight × exp(A/τ).
 */
export const softHalves = (
  logits: readonly [number, number],
  halves: readonly [number, number],
  tau: number,
) => {
  const all = halves[0] + halves[1];
  const top = Math.max(...logits);
  const scaled = logits.map((logit, bit) => (halves[bit] / all) * Math.exp((logit - top) / tau));
  const sum = scaled[0] + scaled[1];
  const shift = top + tau * Math.log(sum);
  return { advantages: logits.map((logit) => logit - shift), policy: scaled.map((each) => each / sum) };
};
