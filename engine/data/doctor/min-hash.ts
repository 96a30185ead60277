import { WhetstoneError } from '../../common/errors.ts';
import { stream } from '../../random/random.ts';
import { mixed } from './texts.ts';

/** Locality-sensitive hashing: `bands` × `rows` permutations; two sets that agree in a whole band are compared. */
export interface Bands {
  readonly bands: number;
  readonly rows: number;
}

/**
 * Probability that two sets of a Jaccard similarity are compared: 1 − (1 − s^rows)^bands (Leskovec, Rajaraman
 * and Ullman, "Mining of Massive Datasets", section 3.4).
 */
export const detection = (similarity: number, { bands, rows }: Bands): number =>
  1 - (1 - similarity ** rows) ** bands;

const whole = (x: number, where: string): void => {
  if (!Number.isSafeInteger(x) || x < 1)
    throw new WhetstoneError('invalid-input', `Min-hashing needs at least 1, not ${x}.`, { where });
};

/**
 * Min-hashes of sets (Broder 1997): permutation p maps an element to (a_p · x + b_p) mod 2^32, mixed, with a
 * and b drawn from the seed. For a random permutation, P(equal minima) is the Jaccard similarity.
 */
export class MinHash {
  readonly shape: Bands;
  readonly #factors: Uint32Array;
  readonly #terms: Uint32Array;
  readonly #minima: Uint32Array;

  constructor(shape: Bands, seed = 0) {
    whole(shape.bands, 'bands');
    whole(shape.rows, 'rows');
    this.shape = shape;
    const count = shape.bands * shape.rows;
    const draw = stream(seed, 'min-hash');
    // an odd factor makes multiplication modulo 2^32 a permutation
    this.#factors = Uint32Array.from({ length: count }, () => draw.int(0x80000000) * 2 + 1);
    this.#terms = Uint32Array.from({ length: count }, () => draw.int(0x100000000));
    this.#minima = new Uint32Array(count);
  }

  /** Smallest value of the set under each permutation; valid until the next call. */
  signature(set: Uint32Array): Uint32Array {
    const minima = this.#minima;
    for (let p = 0; p < minima.length; p++) {
      const factor = this.#factors[p];
      const term = this.#terms[p];
      let least = 0xffffffff;
      for (let at = 0; at < set.length; at++) {
        const product = Math.imul(set[at], factor) + term;
        const value = Math.imul(product ^ (product >>> 15), 0x2c1b3c6d) >>> 0;
        if (value < least) least = value;
      }
      minima[p] = least;
    }
    return minima;
  }

  /** One hash per band of a set's signature, into `out` from `start`. */
  bandKeys(set: Uint32Array, out: Uint32Array, start = 0): void {
    const minima = this.signature(set);
    const { bands, rows } = this.shape;
    for (let band = 0; band < bands; band++) {
      let key = band;
      for (let row = 0; row < rows; row++) key = mixed(Math.imul(key, 31) + minima[band * rows + row]);
      out[start + band] = key;
    }
  }
}
