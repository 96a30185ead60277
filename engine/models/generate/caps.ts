/** Bounds that a second model sets to the probabilities of single tokens. */
import type { Guidance } from './hooks.ts';

/** A capped token keeps this probability, so that something can be drawn whatever the caps are. */
const FLOOR = 1e-6;

const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/**
 * Log of the largest probability of each token, [rows, V]: `weight` · log(1 − σ(logit)), where σ(logit) is the
 * probability that the text ends badly after the token, so that a token never has more probability than that
 * of an end that can still be good (dead-end analysis, arXiv:2302.14003: π ≤ 1 + Q_D).
 */
export const logCaps = (logits: Float32Array, weight: number): Float32Array =>
  logits.map((logit) => Math.max(Math.log(FLOOR), -weight * softplus(logit)));

/** 1 on the tokens of one row's nucleus, 0 outside it; equally likely tokens are in it or outside together. */
const nucleusOf = (logits_V: Float32Array, share: number, sharpness: number, kept_V: Float32Array): void => {
  const top = logits_V.reduce((most, x) => Math.max(most, x), -Infinity);
  const weights = Float64Array.from(logits_V, (x) => Math.exp((x - top) * sharpness));
  const bound = share * weights.reduce((a, b) => a + b, 0);
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  let likelier = 0;
  for (let at = 0; at < order.length && (at === 0 || likelier < bound);) {
    const weight = weights[order[at]];
    const tied = at;
    for (; at < order.length && weights[order[at]] === weight; at++) kept_V[order[at]] = 1;
    likelier += weight * (at - tied);
  }
};

/** Feeds of the bounds of a guide for rows, from its logits [rows, V]; empty for one that only adds. */
export const boundFeeds = (
  { cap, nucleus }: Pick<Guidance, 'cap' | 'nucleus'>,
  logits: Float32Array,
  sharpness: readonly number[],
): Record<string, Float32Array> => {
  const V = logits.length / Math.max(1, sharpness.length);
  const kept = new Float32Array(nucleus === undefined ? 0 : logits.length);
  if (nucleus !== undefined)
    sharpness.forEach((each, row) => {
      const own = (values: Float32Array) => values.subarray(row * V, (row + 1) * V);
      nucleusOf(own(logits), nucleus, each, own(kept));
    });
  return {
    ...(cap !== undefined && { caps: logCaps(logits, cap) }),
    ...(nucleus !== undefined && { kept }),
  };
};
