/**
 * Features of an answer from its text alone, for a judge without a model: counts that explain much of what
 * people prefer (length, layout, overlap with the prompt), and a hashed bag of words.
 */

/** Longer texts are read up to here, so that one of them does not delay all others. */
const MOST_CHARACTERS = 20_000;
/** Buckets of words and of pairs of adjacent words. */
const BUCKETS = 256;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** FNV-1a (Fowler, Noll and Vo): 32 bits of a text. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
};

interface Read {
  readonly text: string;
  readonly words: readonly string[];
  /** Distinct words of the prompt. */
  readonly asked: ReadonlySet<string>;
}

/** Statistics with their names; counts are logarithms, so that a long answer does not outweigh all others. */
const statistics: Readonly<Record<string, (read: Read) => number>> = {
  'log characters': ({ text }) => Math.log1p(text.length),
  'log words': ({ words }) => Math.log1p(words.length),
  'log lines': ({ text }) => Math.log1p(countOf(text, /\n/g)),
  'log sentences': ({ text }) => Math.log1p(countOf(text, /[.!?…。！？]+/g)),
  'mean word length': ({ words }) =>
    words.reduce((sum, { length }) => sum + length, 0) / Math.max(1, words.length),
  'distinct words': ({ words }) => new Set(words).size / Math.max(1, words.length),
  'words of the prompt': ({ words, asked }) =>
    words.filter((word) => asked.has(word)).length / Math.max(1, words.length),
  'prompt covered': ({ words, asked }) => {
    const said = new Set(words);
    return [...asked].filter((word) => said.has(word)).length / Math.max(1, asked.size);
  },
  'log numbers': ({ text }) => Math.log1p(countOf(text, /\d+/g)),
  'log list items': ({ text }) => Math.log1p(countOf(text, /^\s*(?:[-*•]|\d+[.)])\s/gm)),
  'log headings': ({ text }) => Math.log1p(countOf(text, /^#{1,6}\s/gm)),
  'log code marks': ({ text }) => Math.log1p(countOf(text, /`/g)),
  'log questions': ({ text }) => Math.log1p(countOf(text, /[?？]/g)),
  'log exclamations': ({ text }) => Math.log1p(countOf(text, /[!！]/g)),
  'upper case': ({ text }) => countOf(text, /\p{Lu}/gu) / Math.max(1, text.length),
  'ends a sentence': ({ text }) => Number(/[.!?…。！？)`"”]\s*$/.test(text)),
};
const named = Object.values(statistics);

/** Number of features of an answer. */
export const textStatisticsWidth = named.length + BUCKETS;

/**
 * Features of an answer to a prompt, `textStatisticsWidth` numbers: statistics of the text, then its words and
 * pairs of adjacent words, hashed with a sign (Weinberger et al. 2009, arXiv:0902.2206) to a vector of length
 * one.
 */
export const textStatistics = (prompt: string, answer: string): Float64Array => {
  const text = answer.slice(0, MOST_CHARACTERS);
  const words = wordsOf(text);
  const asked = new Set(wordsOf(prompt.slice(0, MOST_CHARACTERS)));
  const features = new Float64Array(textStatisticsWidth);
  named.forEach((of, at) => (features[at] = of({ text, words, asked })));
  const hashed = features.subarray(named.length);
  words.forEach((word, at) => {
    for (const term of at === 0 ? [word] : [word, `${words[at - 1]} ${word}`]) {
      const hash = hashOf(term);
      hashed[hash % BUCKETS] += hash >>> 31 === 0 ? 1 : -1;
    }
  });
  const length = Math.hypot(...hashed);
  if (length > 0) for (let at = 0; at < BUCKETS; at++) hashed[at] /= length;
  return features;
};
