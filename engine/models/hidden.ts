/** Hidden states of texts, read for a direction to steer by. */
import { input, mul, reshape, sum, type Expr } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { pause } from '../pace/index.ts';
import { floats, type ModelDevice } from './device.ts';
import { forward } from './forward.ts';
import { inputsOf } from './inputs.ts';
import type { Model } from './model.ts';
import { bucket, programFor, runWith } from './programs.ts';
import { withAfterLayer } from './symbols.ts';

/** A prompt and an answer: tokens, of which the answer’s begin at `from`, at least 1. */
export interface AnswerTokens {
  readonly tokens: ArrayLike<number>;
  readonly from: number;
}

const PASS_TOKENS = 4096;

/**
 * [D] per text: the mean hidden state after layer `layer`, over the places from which the answer’s tokens are
 * predicted (from − 1 … length − 2); zeros for an answer without tokens.
 */
export const meanHidden = async (
  device: ModelDevice,
  model: Model,
  texts: readonly AnswerTokens[],
  layer: number,
): Promise<Float32Array[]> => {
  const { config } = model;
  const { form, lookup, feeds } = inputsOf(model);
  const T = Math.min(bucket(Math.max(1, ...texts.map(({ tokens }) => tokens.length)), 16), config.context);
  const B = bucket(Math.max(1, Math.min(texts.length, Math.floor(PASS_TOKENS / T))));
  const graph = (): Record<string, Expr> => {
    let found: Expr | undefined;
    const parameters = withAfterLayer(lookup(), (hidden, at) => {
      if (at === layer) found = hidden;
      return hidden;
    });
    forward({ config, parameters, tokens: input('tokens', { dtype: 'int32', shape: [B, T] }) });
    if (!found)
      throw new WhetstoneError('invalid-input', `The model has no layer ${layer}.`, {
        where: 'sampling.steering.layer',
        hint: `Choose a layer from 0 to ${config.layers - 1}.`,
      });
    const shares = input('shares', { dtype: 'float32', shape: [B, T] });
    const weighed = mul(reshape(found, [B, T, config.width]), reshape(shares, [B, T, 1]));
    return { means: sum(weighed, 1) };
  };
  const program = await programFor(device, 'mean hidden states', { config, form }, { B, T, layer }, () => ({
    outputs: graph(),
  }));
  const means: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += B) {
    const tokens = new Int32Array(B * T);
    const shares = new Float32Array(B * T);
    const portion = texts.slice(start, start + B);
    portion.forEach((text, b) => {
      tokens.set(Array.from(text.tokens), b * T);
      const count = text.tokens.length - text.from;
      if (count > 0) shares.fill(1 / count, b * T + text.from - 1, b * T + text.from - 1 + count);
    });
    const values = floats(await runWith(program, feeds, { tokens, shares }), 'means');
    portion.forEach((_, b) => means.push(values.slice(b * config.width, (b + 1) * config.width)));
    await pause((start + portion.length) / texts.length);
  }
  return means;
};

/** Mean of some vectors minus the mean of others, [D]; both lists have at least one. */
export const differenceOfMeans = (
  toward: readonly Float32Array[],
  away: readonly Float32Array[],
): Float32Array => {
  const mean = (vectors: readonly Float32Array[], d: number) =>
    vectors.reduce((total, vector) => total + vector[d], 0) / vectors.length;
  return Float32Array.from(toward[0], (_, d) => mean(toward, d) - mean(away, d));
};
