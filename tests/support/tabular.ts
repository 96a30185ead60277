import { layoutOf, ParameterSet } from '../../engine/models/parameters.ts';
import type { ModelGraph } from '../../engine/rl/model-graph.ts';
import { ragged } from '../../engine/rl/rows.ts';
import { broadcastTo, reshape } from '../../engine/tensor/index.ts';

/** A policy that is nothing but its logits: one distribution over V tokens, whatever came before. Closed forms hold for it exactly. */
export const tabularGraph = (V: number): ModelGraph => ({
  id: `tabular ${V}`,
  context: 64,
  pad: null,
  logits: (parameters, tokens) => {
    const [R, T] = tokens.type.shape;
    return broadcastTo(reshape(parameters('logits'), [1, 1, V]), [R, T - 1, V]);
  },
  score: () => { throw new Error('a tabular policy has no reward head'); },
  features: () => { throw new Error('a tabular policy has no features'); },
});

export const tabularParameters = (logits: readonly number[]): ParameterSet =>
  new ParameterSet(layoutOf([{ name: 'logits', shape: [logits.length] }]), Float32Array.from(logits));

export const softmax = (logits: ArrayLike<number>): Float64Array => {
  const top = Math.max(...Array.from(logits));
  const p = Float64Array.from(logits, (x) => Math.exp(x - top));
  const total = p.reduce((a, b) => a + b, 0);
  return p.map((x) => x / total);
};

/** Each outcome once, as a row of two tokens: a silent first one, then the outcome. Only the second is trained. */
export const everyOutcome = (V: number) => ({
  tokens: ragged(Array.from({ length: V }, (_, v) => [0, v]), Int32Array),
  mask: ragged(Array.from({ length: V }, () => [0, 1]), Uint8Array),
});

/** The second token of each row of two. */
export const onAnswer = (values: ArrayLike<number>) => ragged(Array.from(values, (v) => [0, v]), Float32Array);
