/** A set of row numbers from 0 to `size` − 1, one bit each. */
export class Bits {
  readonly size: number;
  readonly words: Uint32Array<ArrayBuffer>;

  constructor(size: number, words = new Uint32Array(Math.ceil(size / 32))) {
    this.size = size;
    this.words = words;
  }

  static full(size: number): Bits {
    return new Bits(size).not();
  }

  static of(size: number, rows: Iterable<number>): Bits {
    const bits = new Bits(size);
    for (const row of rows) bits.add(row);
    return bits;
  }

  has(row: number): boolean {
    return row < this.size && ((this.words[row >>> 5] >>> (row & 31)) & 1) === 1;
  }

  add(row: number): void {
    if (row < this.size) this.words[row >>> 5] |= 1 << (row & 31);
  }

  delete(row: number): void {
    if (row < this.size) this.words[row >>> 5] &= ~(1 << (row & 31));
  }

  copy(): Bits {
    return new Bits(this.size, this.words.slice());
  }

  /** The rows that are in both. */
  and(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word & (other.words[i] ?? 0)),
    );
  }

  /** The rows that are in either. */
  or(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word | (other.words[i] ?? 0)),
    );
  }

  /** The rows that are in one of them only. */
  xor(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word ^ (other.words[i] ?? 0)),
    );
  }

  /** The rows that are not in it. */
  not(): Bits {
    const words = this.words.map((word) => ~word);
    if (this.size & 31) words[words.length - 1] &= (1 << (this.size & 31)) - 1;
    return new Bits(this.size, words);
  }

  without(other: Bits): Bits {
    return new Bits(
      this.size,
      this.words.map((word, i) => word & ~(other.words[i] ?? 0)),
    );
  }

  get count(): number {
    let count = 0;
    for (let word of this.words) {
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return count;
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  /** Calls `action` with each row, in order. */
  forEach(action: (row: number) => void): void {
    for (let i = 0; i < this.words.length; i += 1) {
      for (let word = this.words[i]; word !== 0; word &= word - 1)
        action(i * 32 + 31 - Math.clz32(word & -word));
    }
  }

  /** Calls `action` with each row, the last one first. */
  forEachBack(action: (row: number) => void): void {
    for (let i = this.words.length - 1; i >= 0; i -= 1) {
      for (let word = this.words[i]; word !== 0;) {
        const bit = 31 - Math.clz32(word);
        action(i * 32 + bit);
        word &= ~(1 << bit);
      }
    }
  }

  /** The rows, in order. */
  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.words.length; i += 1) {
      for (let word = this.words[i]; word !== 0; word &= word - 1)
        yield i * 32 + 31 - Math.clz32(word & -word);
    }
  }

  /** At most `limit` rows from the place `offset` on. */
  page(offset: number, limit: number): number[] {
    const rows: number[] = [];
    let at = 0;
    for (let i = 0; i < this.words.length && rows.length < limit; i += 1) {
      for (let word = this.words[i]; word !== 0 && rows.length < limit; word &= word - 1, at += 1)
        if (at >= offset) rows.push(i * 32 + 31 - Math.clz32(word & -word));
    }
    return rows;
  }
}
