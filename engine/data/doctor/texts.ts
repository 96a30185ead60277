/** Texts as the doctor compares them: normalised, as words, as hashed shingles. */
import { WhetstoneError } from '../../common/errors.ts';

/** A text with equal meaning of its characters: Unicode NFKC, each run of blanks one space, none at the ends. */
export const normalisedText = (text: string): string => text.normalize('NFKC').replace(/\s+/gu, ' ').trim();

const PART_OF_WORD = 1;
/**
 * A character that counts as a word: of a script without spaces, or a sign of mathematics and code, by which
 * `3*2` differs from `3+2`.
 */
const WHOLE_WORD = 2;

/** The use of each UTF-16 unit. Halves of surrogate pairs are parts of words. */
const uses = ((): Uint8Array => {
  const found = new Uint8Array(0x10000);
  const whole = new RegExp(
    String.raw`^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}` +
      String.raw`\p{Script=Khmer}\p{Sm}\p{Sc}*/%&^\\@#\-]$`,
    'u',
  );
  const part = /^[\p{L}\p{N}\p{M}\p{Cs}]$/u;
  for (let unit = 0; unit < found.length; unit++) {
    const character = String.fromCharCode(unit);
    if (whole.test(character)) found[unit] = WHOLE_WORD;
    else if (part.test(character)) found[unit] = PART_OF_WORD;
  }
  return found;
})();

/** FNV-1a over UTF-16 units (Fowler, Noll and Vo), 32 bits. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Mixes 32 bits so that each depends on all (the finalizer of MurmurHash3, Appleby 2011). */
export const mixed = (x: number): number => {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

let words = new Uint32Array(4096);

/** Hashes of the words of a text, in order, without regard to case and punctuation; valid until the next call. */
const wordHashes = (text: string): Uint32Array => {
  const plain = text.normalize('NFKC').toLowerCase();
  if (words.length < plain.length) words = new Uint32Array(plain.length * 2);
  let count = 0;
  let hash = FNV_START;
  let inside = false;
  for (let at = 0; at < plain.length; at++) {
    const unit = plain.charCodeAt(at);
    const use = uses[unit];
    if (use === PART_OF_WORD) {
      hash = Math.imul(hash ^ unit, FNV_PRIME);
      inside = true;
      continue;
    }
    if (inside) words[count++] = mixed(hash);
    inside = false;
    hash = FNV_START;
    if (use === WHOLE_WORD) words[count++] = mixed(Math.imul(FNV_START ^ unit, FNV_PRIME));
  }
  if (inside) words[count++] = mixed(hash);
  return words.subarray(0, count);
};

/**
 * The distinct shingles of a text, each `size` neighbouring words, as rising 32-bit hashes. A text with fewer
 * words is one shingle; a text without words has none.
 */
export const shinglesOf = (text: string, size: number): Uint32Array => {
  if (!Number.isSafeInteger(size) || size < 1)
    throw new WhetstoneError('invalid-input', `A shingle needs at least one word, not ${size}.`, {
      where: 'shingle',
    });
  const of = wordHashes(text);
  if (of.length === 0) return new Uint32Array(0);
  const width = Math.min(size, of.length);
  const shingles = new Uint32Array(of.length - width + 1);
  for (let at = 0; at < shingles.length; at++) {
    let hash = FNV_START;
    for (let word = 0; word < width; word++) hash = mixed(Math.imul(hash, 31) + of[at + word]);
    shingles[at] = hash;
  }
  shingles.sort();
  let kept = 1;
  for (let at = 1; at < shingles.length; at++)
    if (shingles[at] !== shingles[at - 1]) shingles[kept++] = shingles[at];
  return shingles.slice(0, kept);
};

/** |A ∩ B| ⁄ |A ∪ B| of two rising lists; 0 if both are empty. */
export const jaccard = (a: Uint32Array, b: Uint32Array): number => {
  let [i, j, shared] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      shared++;
      i++;
      j++;
    } else if (a[i] < b[j]) i++;
    else j++;
  }
  const union = a.length + b.length - shared;
  return union === 0 ? 0 : shared / union;
};
