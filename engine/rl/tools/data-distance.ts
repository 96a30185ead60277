/** How far data is from other data as a model sees it: a distance between hidden states, without training. */
import { WhetstoneError } from '../../common/errors.ts';
import { slicedWasserstein } from '../../evaluate/index.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import { meanHidden, type AnswerTokens } from '../../models/hidden.ts';
import type { Device } from '../../runtime/index.ts';
import type { DistanceCalls, TextSource } from '../../schema/distance.ts';
import type { TextToRead } from '../../schema/messages.ts';
import { encodeExample } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { openWorldById } from '../../worlds/index.ts';

/**
 * Distance of each source of texts from the first one: sliced 2-Wasserstein between the hidden states after
 * the last block, averaged over the places of a text, over the root mean square of the first one's spread per
 * dimension. 1: as far as a standard deviation of the first one. Texts are cut to the context. Throws
 * `invalid-input` for a source without texts, a character that the model does not know, and a first source
 * whose texts are all the same.
 */
export const dataDistances = async (
  device: Device,
  { from, to, texts, seed, ...place }: DistanceCalls['dataDistances']['input'],
): Promise<number[]> => {
  const { model, tokenizer } = await openModelFolder(place.folder, undefined, undefined, place.base);
  const { context, layers } = model.config;
  const statesOf = async (source: TextSource, draw: number): Promise<Float32Array[]> => {
    const rows = textsOf(source, texts, draw).map((text) => tokensOf(tokenizer, text, context));
    return await meanHidden(device, model, rows, layers - 1);
  };
  const origin = await statesOf(from, seed);
  const spread = spreadOf(origin);
  if (!(spread > 0)) throw refused('All texts that the distance is measured from are the same to the model.');
  const found: number[] = [];
  // other draws than the origin's: the same world is then not at distance 0 only because its rows are the same
  for (const source of to) found.push(slicedWasserstein(origin, await statesOf(source, seed + 1)) / spread);
  return found;
};

const textsOf = (source: TextSource, count: number, seed: number): readonly TextToRead[] => {
  if ('texts' in source) {
    if (source.texts.length === 0) throw refused('There are no texts to measure a distance to.');
    return source.texts.slice(0, count);
  }
  const world = openWorldById(source.world.id, source.world.params);
  return Array.from({ length: count }, (_, index) => world.demonstration(index, seed));
};

const tokensOf = (tokenizer: Tokenizer, { prompt, answer }: TextToRead, context: number): AnswerTokens => ({
  tokens: encodeExample(tokenizer, prompt, answer).tokens.subarray(0, context),
  from: 1,
});

/** Root mean square over the dimensions of the standard deviation of points [D]. */
const spreadOf = (points: readonly Float32Array[]): number => {
  const width = points[0].length;
  let total = 0;
  for (let d = 0; d < width; d++) {
    const mean = points.reduce((sum, point) => sum + point[d], 0) / points.length;
    total += points.reduce((sum, point) => sum + (point[d] - mean) ** 2, 0) / points.length;
  }
  return Math.sqrt(total / width);
};

const refused = (message: string): WhetstoneError =>
  new WhetstoneError('invalid-input', message, { where: 'texts', hint: 'Choose data with several rows.' });
