/** One of the actions that logits give probabilities, by a uniform number in (0, 1), and its log-probability. */
export const drawChoice = (
  logits: Float32Array,
  uniform: number,
): { readonly action: number; readonly logp: number } => {
  let most = -Infinity;
  for (const logit of logits) most = Math.max(most, logit);
  let total = 0;
  for (const logit of logits) total += Math.exp(logit - most);
  let left = uniform * total;
  let action = 0;
  // rounding may leave a rest behind the last one
  while (action < logits.length - 1 && (left -= Math.exp(logits[action] - most)) > 0) action++;
  return { action, logp: logits[action] - most - Math.log(total) };
};

/** The action of the greatest value; the first of equals. */
export const bestChoice = (values: Float32Array): number => {
  let best = 0;
  for (let action = 1; action < values.length; action++) if (values[action] > values[best]) best = action;
  return best;
};

/**
 * ε-greedy: with probability ε one of `count` actions, all alike, else the best one. The log-probability is
 * the action's under both together.
 */
export const exploreChoice = (
  best: number,
  count: number,
  epsilon: number,
  random: { next(): number; int(n: number): number },
): { readonly action: number; readonly logp: number } => {
  const action = random.next() < epsilon ? random.int(count) : best;
  return { action, logp: Math.log(epsilon / count + (action === best ? 1 - epsilon : 0)) };
};
