/** Likeness of a text to others by their n-grams, of tokens, words or characters. */

const GRAMS = [2, 3, 4, 5] as const;
/** Stands for no match, so that one n-gram size without any does not make the score 0. */
const NO_MATCH = 0.1;

type Text = readonly (number | string)[];

const counted = (ids: Text, size: number): Map<string, number> => {
  const counts = new Map<string, number>();
  for (let at = 0; at + size <= ids.length; at++) {
    const gram = ids.slice(at, at + size).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
};

/** Reference texts as BLEU reads them: the largest count of each n-gram in one of them, and their lengths. */
export interface References {
  readonly most: ReadonlyMap<string, number>;
  /** Each once, in the order of the texts. */
  readonly lengths: readonly number[];
}

export const referencesOf = (texts: readonly Text[]): References => {
  const most = new Map<string, number>();
  for (const text of texts)
    for (const size of GRAMS)
      for (const [gram, count] of counted(text, size)) most.set(gram, Math.max(most.get(gram) ?? 0, count));
  return { most, lengths: [...new Set(texts.map(({ length }) => length))] };
};

/**
 * BLEU of a text with all earlier ones as references (Zhu et al. 2018): the geometric mean of its clipped
 * n-gram precisions, n from 2 to 5 as far as it is long enough, times the brevity penalty against the nearest
 * length. 0 without references, and for a text of fewer than two tokens.
 */
export const selfBleu = (ids: Text, { most, lengths }: References): number => {
  const sizes = GRAMS.filter((size) => size <= ids.length);
  if (lengths.length === 0 || sizes.length === 0) return 0;
  const logs = sizes.map((size) => {
    let matched = 0;
    for (const [gram, count] of counted(ids, size)) matched += Math.min(count, most.get(gram) ?? 0);
    return Math.log((matched || NO_MATCH) / (ids.length - size + 1));
  });
  const nearest = lengths.reduce(
    (best, length) => (Math.abs(length - ids.length) < Math.abs(best - ids.length) ? length : best),
    Infinity,
  );
  const brevity = ids.length >= nearest ? 1 : Math.exp(1 - nearest / ids.length);
  return brevity * Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length);
};
