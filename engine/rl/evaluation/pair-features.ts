/** Differences of the features of the two answers of pairs, by a frozen model. */
import { openModelFolder } from '../../models/checkpoint.ts';
import type { Device } from '../../runtime/index.ts';
import type { BaseRef, PairTexts } from '../../schema/messages.ts';
import { encodeExample, maskOf } from '../../text/spans.ts';
import { frozenFeatures } from '../compute/frozen-features.ts';
import { liveModel } from '../compute/live-model.ts';
import { ragged } from '../kernel/rows.ts';
import { readable } from './scored-tokens.ts';

export interface PairDifferences {
  /** P × width, row by row: features of answer a minus those of b; NaN for a pair that does not fit. */
  readonly differences: Float32Array;
  readonly width: number;
  /** Pairs that are longer than the model's context. */
  readonly tooLong: number;
}

/** Computes differences of pairs. Throws `numeric` if the model gives features that are not finite. */
export type PairReader = (pairs: readonly PairTexts[]) => Promise<PairDifferences>;

/**
 * Opens a model for features of answers: the final hidden state of the last token of prompt and answer, in the
 * format in which rewards are scored.
 */
export const openPairReader = async (device: Device, folder: string, base?: BaseRef): Promise<PairReader> => {
  const { model, tokenizer } = await openModelFolder(folder, undefined, undefined, base);
  const live = liveModel(device, model);
  const { width, context } = model.config;
  return async (pairs) => {
    const encoded = pairs.map(({ prompt, a, b }) =>
      [a, b].map((answer) => encodeExample(tokenizer, prompt, readable(tokenizer, answer))),
    );
    const fitting = encoded.flatMap((answers, pair) =>
      answers.every(({ tokens }) => tokens.length <= context) ? [{ answers, pair }] : [],
    );
    const rows = fitting.flatMap(({ answers }) => answers);
    const { values } = await frozenFeatures(
      live,
      {
        tokens: ragged(rows, Int32Array, ({ tokens }) => tokens),
        mask: ragged(rows, Uint8Array, ({ spans, tokens }) => maskOf(spans, tokens.length)),
      },
      {},
    );
    const differences = new Float32Array(pairs.length * width).fill(NaN);
    fitting.forEach(({ pair }, at) => {
      for (let f = 0; f < width; f++)
        differences[pair * width + f] = values[2 * at * width + f] - values[(2 * at + 1) * width + f];
    });
    return { differences, width, tooLong: pairs.length - fitting.length };
  };
};
