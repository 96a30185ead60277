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
