import { WhetstoneError } from '../../engine/common/errors.ts';
import type { TextToRead } from '../../engine/schema/messages.ts';
import type { LabelReading } from '../../preload/contract/labels.ts';
import { placeOf } from '../services/opened-model.ts';
import type { Services } from '../services/services.ts';

/** Pairs read at a time: a concurrent decision waits for at most one such page. */
const PAGE = 500;
/** Quantile of the lengths: a single long answer is left out of a run rather than deciding for all. */
const NEARLY_ALL = 0.95;

type Pairs = Awaited<ReturnType<Services['store']['labelSets']['pairs']>>['pairs'];
const textsOf = ({ prompt, a, b }: Pairs[number]): TextToRead[] =>
  [a, b].map((answer) => ({ prompt, answer }));
const bytesOf = ({ prompt, answer }: TextToRead): number =>
  Buffer.byteLength(prompt) + Buffer.byteLength(answer);

/**
 * Requirements of a label set's pairs on a model: the bytes that nearly all of them need, prompt and answer
 * together, and which of some checkpoints can encode every character and have room for nearly all pairs. A
 * checkpoint that cannot be opened fits none.
 */
export async function readingOf(
  services: Services,
  setId: string,
  checkpointIds: readonly string[],
): Promise<LabelReading> {
  const { labelSets } = services.store;
  const sizes: { bytes: number; at: number }[] = [];
  const characters = new Set<string>();
  for (let at = 0, total = 1; at < total; at += PAGE) {
    const page = await labelSets.pairs(setId, at, PAGE);
    total = page.total;
    for (const [index, pair] of page.pairs.entries()) {
      const texts = textsOf(pair);
      for (const { prompt, answer } of texts)
        for (const character of `${prompt}${answer}`) characters.add(character);
      sizes.push({ bytes: Math.max(...texts.map(bytesOf)), at: at + index });
    }
  }
  sizes.sort((one, other) => one.bytes - other.bytes);
  const long = sizes.at(Math.max(0, Math.ceil(NEARLY_ALL * sizes.length) - 1));
  if (!long) return { bytes: 0, readable: [] };
  const longest = (await labelSets.pairs(setId, long.at, 1)).pairs.flatMap(textsOf);
  const readable: string[] = [];
  for (const id of checkpointIds)
    if (await reads(services, id, longest, [...characters].join(''))) readable.push(id);
  return { bytes: long.bytes, readable };
}

async function reads(
  services: Services,
  id: string,
  longest: readonly TextToRead[],
  alphabet: string,
): Promise<boolean> {
  try {
    const place = await placeOf(services, { kind: 'checkpoint', id });
    const { context, tokens } = await services.engine.call('measure', {
      ...place,
      texts: [{ prompt: '', answer: alphabet }, ...longest],
    });
    return tokens[0] !== null && tokens.slice(1).every((count) => count !== null && count <= context);
  } catch (error) {
    if (error instanceof WhetstoneError && error.kind !== 'internal') return false;
    throw error;
  }
}
