import { WhetstoneError } from '../common/errors.ts';

/**
 * Pre-tokenization pattern, as a source for `RegExp` with the flags `gu`: words with their leading space,
 * single digits (so that numbers of any length are encoded the same way), runs of other signs, white space.
 * No merge crosses a boundary.
 */
export const splitPattern = String.raw` ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

/** A merge of two symbols. Symbols 0–255 are bytes; merge i makes symbol 256 + i. */
export type Merge = readonly [left: number, right: number];

interface Word {
  symbols: number[];
  readonly count: number;
}

/** A pair as one number; symbols stay below 65,536. */
const pairKey = (left: number, right: number): number => left * 0x10000 + right;

/** Pairs by frequency; entries may be out of date and are checked when popped. */
class PairHeap {
  readonly #counts: number[] = [];
  readonly #keys: number[] = [];

  get size(): number {
    return this.#keys.length;
  }

  /** Orders by frequency; ties go to the smaller key, so that training is deterministic. */
  #before(i: number, j: number): boolean {
    return this.#counts[i] !== this.#counts[j]
      ? this.#counts[i] > this.#counts[j]
      : this.#keys[i] < this.#keys[j];
  }

  #swap(i: number, j: number): void {
    [this.#counts[i], this.#counts[j]] = [this.#counts[j], this.#counts[i]];
    [this.#keys[i], this.#keys[j]] = [this.#keys[j], this.#keys[i]];
  }

  push(count: number, key: number): void {
    this.#counts.push(count);
    this.#keys.push(key);
    for (let i = this.size - 1; i > 0;) {
      const parent = (i - 1) >> 1;
      if (!this.#before(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  pop(): { count: number; key: number } {
    const top = { count: this.#counts[0], key: this.#keys[0] };
    this.#swap(0, this.size - 1);
    this.#counts.pop();
    this.#keys.pop();
    for (let i = 0; ;) {
      let first = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < this.size && this.#before(child, first)) first = child;
      if (first === i) return top;
      this.#swap(i, first);
      i = first;
    }
  }
}

/** Words of the texts with their counts, as bytes. */
const countWords = (texts: Iterable<string>): Word[] => {
  const counts = new Map<string, number>();
  const pattern = new RegExp(splitPattern, 'gu');
  for (const text of texts)
    for (const word of text.match(pattern) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({ symbols: [...encoder.encode(word)], count }));
};

/** Pair counts over the words, updated with each merge; only words that hold the merged pair are visited. */
class Pairs {
  readonly #words: readonly Word[];
  readonly #counts = new Map<number, number>();
  readonly #wordsOf = new Map<number, Set<number>>();
  readonly #heap = new PairHeap();

  constructor(words: readonly Word[]) {
    this.#words = words;
    words.forEach((_, index) => this.#add(index, 1));
    for (const [key, count] of this.#counts) this.#heap.push(count, key);
  }

  #add(index: number, sign: 1 | -1): void {
    const { symbols, count } = this.#words[index];
    for (let i = 1; i < symbols.length; i++) {
      const key = pairKey(symbols[i - 1], symbols[i]);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + sign * count);
      if (sign === 1) {
        const holders = this.#wordsOf.get(key);
        if (holders) holders.add(index);
        else this.#wordsOf.set(key, new Set([index]));
      }
    }
  }

  /** The most frequent pair that occurs at least `least` times. */
  best(least: number): number | undefined {
    while (this.#heap.size > 0) {
      const { count, key } = this.#heap.pop();
      const now = this.#counts.get(key) ?? 0;
      if (now < least) continue;
      if (now === count) return key;
      this.#heap.push(now, key);
    }
    return undefined;
  }

  merge(key: number, symbol: number): void {
    const left = Math.floor(key / 0x10000);
    const right = key % 0x10000;
    const touched = new Set<number>();
    for (const index of this.#wordsOf.get(key) ?? []) {
      const word = this.#words[index];
      this.#add(index, -1);
      word.symbols = mergePair(word.symbols, left, right, symbol);
      this.#add(index, 1);
      for (let i = 1; i < word.symbols.length; i++)
        if (word.symbols[i - 1] === symbol || word.symbols[i] === symbol)
          touched.add(pairKey(word.symbols[i - 1], word.symbols[i]));
    }
    this.#counts.delete(key);
    this.#wordsOf.delete(key);
    for (const made of touched) this.#heap.push(this.#counts.get(made) ?? 0, made);
  }
}

/** Replaces every occurrence of (left, right), from the left, by `symbol`. */
export const mergePair = (
  symbols: readonly number[],
  left: number,
  right: number,
  symbol: number,
): number[] => {
  const out: number[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (i + 1 < symbols.length && symbols[i] === left && symbols[i + 1] === right) {
      out.push(symbol);
      i++;
    } else out.push(symbols[i]);
  }
  return out;
};

/**
 * Byte-pair encoding (Sennrich et al., arXiv:1508.07909) on bytes: the most frequent pair becomes a symbol,
 * `merges` times. Ends early when no pair occurs twice. Deterministic in the counts of words, whatever the
 * order of the texts.
 */
export const trainMerges = (texts: Iterable<string>, merges: number): Merge[] => {
  if (256 + merges > 0x10000)
    throw new WhetstoneError(
      'invalid-input',
      `At most ${0x10000 - 256} byte pairs can be trained, not ${merges}.`,
      { where: 'vocabulary' },
    );
  const pairs = new Pairs(countWords(texts));
  const found: Merge[] = [];
  while (found.length < merges) {
    const key = pairs.best(2);
    if (key === undefined) break;
    pairs.merge(key, 256 + found.length);
    found.push([Math.floor(key / 0x10000), key % 0x10000]);
  }
  return found;
};
