import { WhetstoneError } from '../../common/errors.ts';
import { entropyOfLogits, logpOfLogits } from '../../models/heads/next-token.ts';
import { layoutOf, ParameterSet } from '../../models/parameters.ts';
import type { Lookup } from '../../models/symbols.ts';
import type { ModelGraph } from '../compute/model-graph.ts';
import { ragged } from '../kernel/rows.ts';
import { broadcastTo, logSoftmax, mean, mul, reshape, scalar, slice } from '../../tensor/index.ts';

const none = (what: string) => (): never => {
  throw new WhetstoneError('unsupported', `A tabular policy has no ${what}.`);
};

/**
 * A policy that consists only of its logits: one distribution over V tokens, whatever the context. Closed
 * forms hold for it exactly.
 */
export const tabularGraph = (V: number): ModelGraph => {
  const logits = (parameters: Lookup, R: number, T: number) =>
    broadcastTo(reshape(parameters('logits'), [1, 1, V]), [R, T - 1, V]);
  const ofNext =
    (what: typeof logpOfLogits): ModelGraph['logp'] =>
    (parameters, tokens, temperature) => {
      const [R, T] = tokens.type.shape;
      return what(logits(parameters, R, T), slice(tokens, 1, 1, T), temperature);
    };
  return {
    id: `tabular ${V}`,
    context: 64,
    pad: null,
    shares: false,
    logp: ofNext(logpOfLogits),
    entropy: ofNext(entropyOfLogits),
    meanLogp: ofNext((values, _, temperature) => mean(logSoftmax(mul(values, scalar(1 / temperature))), -1)),
    ofLogits: (parameters, tokens, temperature, reduce) => {
      const [R, T] = tokens.type.shape;
      const own = reshape(logits(parameters, R, T), [R * (T - 1), V]);
      return reshape(reduce(mul(own, scalar(1 / temperature))), [R, T - 1]);
    },
    width: 0,
    shiftedLogp: none('embeddings'),
    states: none('hidden states'),
    logpOf: none('hidden states'),
    verdicts: none('reward head'),
    score: none('reward head'),
    features: none('features'),
  };
};

export const tabularParameters = (logits: readonly number[]): ParameterSet =>
  new ParameterSet(layoutOf([{ name: 'logits', shape: [logits.length] }]), Float32Array.from(logits));

export const softmax = (logits: ArrayLike<number>): Float64Array => {
  const top = Math.max(...Array.from(logits));
  const p = Float64Array.from(logits, (x) => Math.exp(x - top));
  const total = p.reduce((a, b) => a + b, 0);
  return p.map((x) => x / total);
};

/** Each outcome once, as a row of two tokens: a dummy one, then the outcome. Only the second is trained. */
export const everyOutcome = (V: number) => ({
  tokens: ragged(
    Array.from({ length: V }, (_, v) => [0, v]),
    Int32Array,
  ),
  mask: ragged(
    Array.from({ length: V }, () => [0, 1]),
    Uint8Array,
  ),
});

/** The second token of each row of two. */
export const onAnswer = (values: ArrayLike<number>) =>
  ragged(
    Array.from(values, (v) => [0, v]),
    Float32Array,
  );
