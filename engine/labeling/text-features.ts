import type { Points } from './k-means.ts';

/** Features of hashed words; after them the logarithms of the two lengths, and 1. */
const HASHED = 96;
export const TEXT_WIDTH = HASHED + 3;

/** FNV-1a (Fowler, Noll and Vo), 32 bits, and the mixing of MurmurHash3 (Appleby 2011). */
const hashOf = (text: string, start: number): number => {
  let h = start;
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
};

const words = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;

/** Adds the words of a text, and its neighbouring pairs of words, each to a feature by its hash, with a sign. */
const addWords = (text: string, start: number, values: Float64Array, at: number): void => {
  const found = text.toLowerCase().match(words) ?? [];
  const weight = 1 / Math.sqrt(Math.max(1, found.length));
  let before = '';
  for (const word of found) {
    for (const token of before === '' ? [word] : [word, `${before} ${word}`]) {
      const hash = hashOf(token, start);
      values[at + ((hash >>> 1) % HASHED)] += hash & 1 ? weight : -weight;
    }
    before = word;
  }
};

/**
 * N × TEXT_WIDTH features of rows from their texts alone: hashed words and word pairs (Weinberger et al. 2009,
 * "Feature hashing for large scale multitask learning"), the logarithms of both lengths, and a constant.
 */
export const textFeatures = (
  rows: readonly { readonly prompt: string; readonly answer: string }[],
): Points => {
  const values = new Float64Array(rows.length * TEXT_WIDTH);
  for (const [row, { prompt, answer }] of rows.entries()) {
    const at = row * TEXT_WIDTH;
    addWords(prompt, 0x811c9dc5, values, at);
    addWords(answer, 0x01234567, values, at);
    values[at + HASHED] = Math.log1p(prompt.length);
    values[at + HASHED + 1] = Math.log1p(answer.length);
    values[at + HASHED + 2] = 1;
  }
  return { values, width: TEXT_WIDTH };
};
