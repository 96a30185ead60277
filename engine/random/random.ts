/**
 * Counter-based random numbers, a function of their key rather than of earlier draws: Philox4x32-10 (Salmon,
 * Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011), keyed by (seed, purpose),
 * counted by up to four words, such as (step, prompt, sample, token). So a draw does not depend on the
 * batch, the order of rows, or earlier draws.
 */
import { createHash } from 'node:crypto';
import { WhetstoneError } from '../common/errors.ts';

const scratch = new Uint32Array(4);

/** High and low 32 bits of a 32 × 32 bit product; the halves keep every partial product below 2^53. */
const high = (a: number, b: number): number => {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const carried = a0 * b1 + (middle % 0x10000);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000)) >>> 0;
};

/** Ten rounds of Philox4x32 into `out` (4 words). Every argument is an unsigned 32-bit word. */
export const philox = (
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  k0: number,
  k1: number,
  out: Uint32Array = scratch,
): Uint32Array => {
  for (let round = 0; round < 10; round++) {
    const high0 = high(0xd2511f53, c0);
    const low0 = Math.imul(0xd2511f53, c0) >>> 0;
    const high1 = high(0xcd9e8d57, c2);
    const low1 = Math.imul(0xcd9e8d57, c2) >>> 0;
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
  return out;
};

/** 32 bits of the SHA-256 of a text: turns a prompt id or a purpose into a counter word. */
export const hash32 = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

const purposes = new Map<string, number>();
const purposeKey = (purpose: string): number => {
  const known = purposes.get(purpose);
  if (known !== undefined) return known;
  const key = hash32(purpose);
  purposes.set(purpose, key);
  return key;
};

const word = (value: number, what: string): number => {
  if (Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff) return value;
  throw new WhetstoneError(
    'invalid-input',
    `A random counter must be a whole number from 0 to 4294967295, not ${value}.`,
    { where: what },
  );
};
const words = (counters: readonly number[], most: number, purpose: string): number[] => {
  if (counters.length > most)
    throw new WhetstoneError(
      'invalid-input',
      `At most ${most} random counters fit here; ${counters.length} were given.`,
      { where: purpose },
    );
  return [0, 1, 2, 3].map((i) => (i < counters.length ? word(counters[i], purpose) : 0));
};

/** 52 bits and a half step: strictly inside (0, 1) in float64. */
const unit64 = (a: number, b: number): number => ((a >>> 6) * 0x4000000 + (b >>> 6) + 0.5) / 0x10000000000000;
/** 23 bits and a half step: exact in float32, so strictly inside (0, 1) there too. */
const unit32 = (a: number): number => ((a >>> 9) + 0.5) / 0x800000;

/** One uniform in (0, 1), float64, for (seed, purpose) and up to four counters. */
export const uniform = (seed: number, purpose: string, ...counters: number[]): number => {
  const [c0, c1, c2, c3] = words(counters, 4, purpose);
  const bits = philox(c0, c1, c2, c3, word(seed, 'seed'), purposeKey(purpose));
  return unit64(bits[0], bits[1]);
};

/** Key of a row of tokens among all random draws. */
export interface TokenKey {
  readonly seed: number;
  readonly purpose: string;
  readonly step: number;
  /** `hash32` of the prompt's id. */
  readonly prompt: number;
  readonly sample: number;
}

/**
 * Fills `out[start .. start + count)` with uniforms for tokens `firstToken`, `firstToken + 1`, …: float32,
 * strictly inside (0, 1). Token t of a row is the same number whichever call draws it.
 */
export const tokenUniforms = (
  key: TokenKey,
  firstToken: number,
  out: Float32Array,
  start = 0,
  count = out.length - start,
): void => {
  const k0 = word(key.seed, 'seed');
  const k1 = purposeKey(key.purpose);
  const [step, prompt, sample] = words(
    [key.step, key.prompt, key.sample, firstToken + count],
    4,
    key.purpose,
  );
  for (let t = 0; t < count; t++)
    out[start + t] = unit32(philox(step, prompt, sample, firstToken + t, k0, k1)[0]);
};

/** Fills `out` with standard normals (Box–Muller) for (seed, purpose) and up to three counters. */
export const normals = (out: Float32Array, seed: number, purpose: string, ...counters: number[]): void => {
  const [c0, c1, c2] = words(counters, 3, purpose);
  const k0 = word(seed, 'seed');
  const k1 = purposeKey(purpose);
  const bits = new Uint32Array(4);
  for (let at = 0; at < out.length; at += 4) {
    philox(c0, c1, c2, at / 4, k0, k1, bits);
    for (let pair = 0; pair < 4 && at + pair < out.length; pair += 2) {
      const radius = Math.sqrt(-2 * Math.log((bits[pair] + 0.5) / 0x100000000));
      const angle = 2 * Math.PI * (bits[pair + 1] / 0x100000000);
      out[at + pair] = radius * Math.cos(angle);
      if (at + pair + 1 < out.length) out[at + pair + 1] = radius * Math.sin(angle);
    }
  }
};

/** A point of the unit sphere, uniform, float32, for (seed, purpose) and up to three counters. */
export const directionOf = (
  size: number,
  seed: number,
  purpose: string,
  ...counters: number[]
): Float32Array => {
  const values = new Float32Array(size);
  normals(values, seed, purpose, ...counters);
  const length = Math.hypot(...values);
  return values.map((x) => x / length);
};

/** A sequential stream, for procedural generation on the host; `position` continues a saved stream. */
export class RandomStream {
  readonly #key: readonly [number, number];
  readonly #counters: readonly number[];
  readonly #bits = new Uint32Array(4);
  /** Words drawn so far. */
  position: number;

  constructor(seed: number, purpose: string, counters: readonly number[] = [], position = 0) {
    this.#key = [word(seed, 'seed'), purposeKey(purpose)];
    this.#counters = words(counters, 3, purpose);
    this.position = 0;
    if (position > 0) this.seek(position);
  }

  /** Continues at a saved position. */
  seek(position: number): void {
    this.position = position;
    if (position % 4 !== 0) this.#fill();
  }

  #fill(): void {
    const [c0, c1, c2] = this.#counters;
    philox(c0, c1, c2, Math.floor(this.position / 4), this.#key[0], this.#key[1], this.#bits);
  }

  /** 32 random bits. */
  bits(): number {
    if (this.position % 4 === 0) this.#fill();
    return this.#bits[this.position++ % 4];
  }

  /** Uniform in (0, 1), float64. */
  next(): number {
    return unit64(this.bits(), this.bits());
  }

  /** Uniform whole number from 0 to n − 1, without bias. */
  int(n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > 0x100000000)
      throw new WhetstoneError('invalid-input', `Cannot draw from ${n} values.`);
    const fair = 0x100000000 - (0x100000000 % n);
    for (;;) {
      const drawn = this.bits();
      if (drawn < fair) return drawn % n;
    }
  }

  /** Uniform whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.int(high - low + 1);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }

  /** A new array in random order (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  }

  /** One standard normal. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** A stream of draws for (seed, purpose) and up to three counters. */
export const stream = (seed: number, purpose: string, ...counters: number[]): RandomStream =>
  new RandomStream(seed, purpose, counters);

/** `items` shuffled, determined by (seed, purpose, counters). */
export const shuffle = <T>(items: readonly T[], seed: number, purpose: string, ...counters: number[]): T[] =>
  stream(seed, purpose, ...counters).shuffle(items);

/** 0 … n − 1 shuffled, determined by (seed, purpose, counters). */
export const permutation = (n: number, seed: number, purpose: string, ...counters: number[]): number[] =>
  shuffle(
    Array.from({ length: n }, (_, i) => i),
    seed,
    purpose,
    ...counters,
  );
