import { hash } from 'node:crypto';

/** Slots at first; doubled when two thirds are taken. */
const FIRST = 1 << 12;

/**
 * A set of texts that keeps 64 bits of each one's SHA-1 hash: 12 to 24 bytes a text, whatever its length, where
 * a Set of hashes takes some 80. Two of a million different texts are taken for one with a probability of 3e-8.
 */
export class Fingerprints {
  /** High and low half of each fingerprint, next to each other; 0 and 0 is a free slot. */
  #slots = new Uint32Array(2 * FIRST);
  #size = 0;

  /** Number of different texts. */
  get size(): number {
    return this.#size;
  }

  /** Adds a text; false if it was there. */
  add(text: string): boolean {
    const digest = hash('sha1', text, 'binary');
    const isNew = insert(this.#slots, half(digest, 0), half(digest, 4) || 1);
    if (isNew && 3 * ++this.#size > this.#slots.length) this.#grow();
    return isNew;
  }

  #grow(): void {
    const from = this.#slots;
    this.#slots = new Uint32Array(2 * from.length);
    for (let at = 0; at < from.length; at += 2)
      if (from[at + 1] !== 0) insert(this.#slots, from[at], from[at + 1]);
  }
}

/** Four bytes of a digest as a number. */
const half = (digest: string, at: number): number =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0;

/** Puts a fingerprint into the first free slot from its own on; false if it was there. */
function insert(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = high & mask; ; slot = (slot + 1) & mask) {
    const at = 2 * slot;
    if (slots[at + 1] === 0) {
      slots[at] = high;
      slots[at + 1] = low;
      return true;
    }
    if (slots[at] === high && slots[at + 1] === low) return false;
  }
}
