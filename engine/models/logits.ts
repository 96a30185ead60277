import { gather, input, reshape, scalar, type Expr } from '../tensor/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { floats, type ModelDevice } from './device.ts';
import { forward, logitsOf } from './forward.ts';
import { inputsOf } from './inputs.ts';
import type { Model } from './model.ts';
import { bucket, programFor, runWith } from './programs.ts';

/**
 * Next-token logits after a sequence: of its last position, or of `all`; V numbers per row. Throws
 * `unsupported` for a reward model, `invalid-input` for tokens outside the vocabulary or more than the
 * context holds.
 */
export const nextTokenLogits = async (
  device: ModelDevice,
  model: Model,
  tokens: readonly number[],
  all: boolean,
): Promise<number[][]> => {
  const { config } = model;
  const { form, lookup, feeds } = inputsOf(model);
  const T = tokens.length;
  if (config.head !== 'next-token')
    throw new WhetstoneError('unsupported', 'A reward model scores text and has no next token.', {
      where: 'model',
      hint: 'Choose a policy.',
    });
  const wrong = tokens.find((id) => !Number.isInteger(id) || id < 0 || id >= config.vocabulary);
  if (wrong !== undefined || T === 0)
    throw new WhetstoneError(
      'invalid-input',
      T === 0
        ? 'There are no tokens.'
        : `There is no token ${wrong}; the model knows 0 to ${config.vocabulary - 1}.`,
      { where: 'tokens' },
    );
  const graph = (): Record<string, Expr> => {
    const parameters = lookup();
    const hidden = forward({
      config,
      parameters,
      tokens: input('tokens', { dtype: 'int32', shape: [1, T] }),
    });
    return {
      logits: logitsOf(
        config,
        parameters,
        all ? hidden : gather(hidden, reshape(scalar(T - 1, 'int32'), [1])),
      ),
    };
  };
  const program = await programFor(device, 'logits', { config, form }, { T, all }, () => ({
    outputs: graph(),
  }));
  const logits = floats(await runWith(program, feeds, { tokens: Int32Array.from(tokens) }), 'logits');
  const V = config.vocabulary;
  return Array.from({ length: logits.length / V }, (_, row) =>
    Array.from(logits.subarray(row * V, (row + 1) * V)),
  );
};

const PASS_TOKENS = 4096;

/** Next-token logits [V] after each of several texts, which are read together. */
export const lastLogits = async (
  device: ModelDevice,
  model: Model,
  texts: readonly (readonly number[])[],
): Promise<Float32Array[]> => {
  const { config } = model;
  const { form, lookup, feeds } = inputsOf(model);
  const V = config.vocabulary;
  const T = Math.min(bucket(Math.max(1, ...texts.map(({ length }) => length)), 16), config.context);
  const B = bucket(Math.max(1, Math.min(texts.length, Math.floor(PASS_TOKENS / T))));
  const program = await programFor(device, 'last logits', { config, form }, { B, T }, () => {
    const parameters = lookup();
    const tokens = input('tokens', { dtype: 'int32', shape: [B, T] });
    const last = input('last', { dtype: 'int32', shape: [B] });
    return {
      outputs: {
        logits: logitsOf(config, parameters, gather(forward({ config, parameters, tokens }), last)),
      },
    };
  });
  const read: Float32Array[] = [];
  for (let start = 0; start < texts.length; start += B) {
    const portion = texts.slice(start, start + B);
    const tokens = new Int32Array(B * T);
    const last = Int32Array.from({ length: B }, (_, b) => b * T);
    portion.forEach((text, b) => {
      tokens.set(text, b * T);
      last[b] += text.length - 1;
    });
    const logits = floats(await runWith(program, feeds, { tokens, last }), 'logits');
    portion.forEach((_, b) => read.push(logits.slice(b * V, (b + 1) * V)));
  }
  return read;
};
