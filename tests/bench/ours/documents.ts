/** Generated documents with planted near duplicates. */
import { jaccard, shinglesOf } from '../../../engine/data/doctor/texts.ts';
import { stream } from '../../../engine/random/random.ts';

export interface Planted {
  readonly source: number;
  readonly copy: number;
  /** Jaccard similarity of the two texts' shingles of three words. */
  readonly similarity: number;
}

export interface Corpus {
  readonly texts: readonly string[];
  readonly planted: readonly Planted[];
}

const VOCABULARY = 20_000;
const LENGTHS = [60, 240] as const;
/** Share of documents that are edited copies of an earlier one, and the largest share of words edited. */
const COPIES = 0.05;
const MOST_EDITED = 0.12;

/** Documents of 60–240 words drawn by Zipf's law; a twentieth are edited copies of an earlier document. */
export const corpusOf = (count: number, seed: number): Corpus => {
  const draw = stream(seed, 'documents');
  const vocabulary = Array.from({ length: VOCABULARY }, (_, word) => `w${word.toString(36)}`);
  const word = () => vocabulary[Math.floor(VOCABULARY ** draw.next()) - 1];
  const texts: string[] = [];
  const planted: Planted[] = [];
  for (let at = 0; at < count; at++) {
    if (at === 0 || draw.next() >= COPIES) {
      texts.push(Array.from({ length: draw.between(...LENGTHS) }, word).join(' '));
      continue;
    }
    const source = draw.int(at);
    const edited = draw.next() * MOST_EDITED;
    const text = texts[source]
      .split(' ')
      .flatMap((own) => (draw.next() >= edited ? [own] : draw.next() < 0.5 ? [word()] : []))
      .join(' ');
    texts.push(text);
    planted.push({
      source,
      copy: at,
      similarity: jaccard(shinglesOf(texts[source], 3), shinglesOf(text, 3)),
    });
  }
  return { texts, planted };
};
