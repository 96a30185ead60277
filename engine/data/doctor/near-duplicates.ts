import { hash } from 'node:crypto';
import { WhetstoneError } from '../../common/errors.ts';
import { MinHash, type Bands } from './min-hash.ts';
import { jaccard, normalisedText, shinglesOf } from './texts.ts';
import { UnionFind } from './union-find.ts';

/** Texts that can be read again: once in order, then those that are compared. */
export interface Documents {
  readonly count: number;
  text(at: number): string;
  /** A further condition on two documents with similar texts; without it all of them are near duplicates. */
  agree?(a: number, b: number): boolean;
}

export interface NearDuplicateOptions extends Partial<Bands> {
  /** Least Jaccard similarity of shingles of near duplicates. */
  readonly threshold?: number;
  /** Words of a shingle. */
  readonly shingle?: number;
  readonly seed?: number;
}

export interface Link {
  readonly a: number;
  readonly b: number;
  /** Exact Jaccard similarity of the two texts' shingles, which ignore case and punctuation. */
  readonly similarity: number;
  /** True if the texts are equal after normalisation. */
  readonly equal: boolean;
}

export interface DuplicateCluster {
  /** Documents, rising; the first is the one to keep. */
  readonly rows: readonly number[];
  /** True if all texts are equal after normalisation. */
  readonly exact: boolean;
  /** The comparisons that joined the cluster. */
  readonly links: readonly Link[];
}

export interface NearDuplicates {
  readonly clusters: readonly DuplicateCluster[];
  /** Pairs compared exactly, and pairs of crowded buckets left uncompared. */
  readonly compared: number;
  readonly skipped: number;
}

export interface DoctorProgress {
  /** Share of the work done, 0–1. */
  readonly share: number;
}

/**
 * Default bands: near duplicates of similarity 0.8 are compared with probability 0.998, of 0.7 with 0.92, of
 * 0.5 with 0.27, of 0.3 with 0.015.
 */
export const DEFAULT_BANDS: Bands = { bands: 20, rows: 6 };
export const DEFAULT_THRESHOLD = 0.8;
export const DEFAULT_SHINGLE = 3;

/** Documents between two reports of progress. */
const BLOCK = 500;
/** Members of a bucket that a document is compared with: a crowded bucket would cost the square of its size. */
const MOST_COMPARED = 64;
/** Shingles of documents kept for further comparisons. */
const KEPT = 8192;
/** Share of the work that reading and hashing takes. */
const HASHING = 0.8;

/** Documents that are first with their text, their band keys, and links of equal texts. */
interface Hashed {
  readonly distinct: Uint32Array;
  /** [document of `distinct`, band] */
  readonly keys: Uint32Array;
  readonly equal: readonly Link[];
}

function* hashed(documents: Documents, minHash: MinHash, shingle: number): Generator<DoctorProgress, Hashed> {
  const { bands } = minHash.shape;
  const first = new Map<string, number>();
  const equal: Link[] = [];
  const distinct: number[] = [];
  let keys = new Uint32Array(bands * 1024);
  for (let at = 0; at < documents.count; at++) {
    if (at % BLOCK === 0) yield { share: (HASHING * at) / documents.count };
    const text = documents.text(at);
    const identity = hash('sha1', normalisedText(text), 'base64');
    const same = first.get(identity);
    if (same !== undefined) {
      equal.push({ a: same, b: at, similarity: 1, equal: true });
      continue;
    }
    first.set(identity, at);
    const set = shinglesOf(text, shingle);
    if (set.length === 0) continue;
    if (keys.length < (distinct.length + 1) * bands) {
      const larger = new Uint32Array(keys.length * 2);
      larger.set(keys);
      keys = larger;
    }
    minHash.bandKeys(set, keys, distinct.length * bands);
    distinct.push(at);
  }
  return { distinct: Uint32Array.from(distinct), keys, equal };
}

/** Reads shingles of documents, and keeps those read last. */
class Shingles {
  readonly #documents: Documents;
  readonly #size: number;
  readonly #kept = new Map<number, Uint32Array>();

  constructor(documents: Documents, size: number) {
    this.#documents = documents;
    this.#size = size;
  }

  of(at: number): Uint32Array {
    const known = this.#kept.get(at);
    if (known) return known;
    const made = shinglesOf(this.#documents.text(at), this.#size);
    if (this.#kept.size >= KEPT) this.#kept.delete(this.#kept.keys().next().value ?? -1);
    this.#kept.set(at, made);
    return made;
  }
}

/** Positions of `distinct` in the order of one band's keys: equal keys are neighbours, in rising order. */
const sortedBy = ({ distinct, keys }: Hashed, bands: number, band: number) => {
  const packed = new BigUint64Array(distinct.length);
  const words = new Uint32Array(packed.buffer);
  for (let d = 0; d < distinct.length; d++) {
    words[2 * d] = d;
    words[2 * d + 1] = keys[d * bands + band];
  }
  packed.sort();
  return words;
};

/** Compares the members of one bucket, and joins those that are similar enough. */
const compareBucket = (
  members: readonly number[],
  threshold: number,
  sets: UnionFind,
  shingles: Shingles,
  seen: Set<number>,
  documents: Documents,
): { links: Link[]; compared: number; skipped: number } => {
  const links: Link[] = [];
  let [compared, skipped] = [0, 0];
  for (let j = 1; j < members.length; j++) {
    const b = members[j];
    skipped += Math.max(0, j - MOST_COMPARED);
    for (let i = Math.max(0, j - MOST_COMPARED); i < j; i++) {
      const a = members[i];
      const pair = a * documents.count + b;
      if (sets.root(a) === sets.root(b) || seen.has(pair)) continue;
      seen.add(pair);
      compared++;
      const similarity = jaccard(shingles.of(a), shingles.of(b));
      const isNear = similarity >= threshold && (documents.agree?.(a, b) ?? true);
      if (isNear && sets.join(a, b)) links.push({ a, b, similarity, equal: false });
    }
  }
  return { links, compared, skipped };
};

const clustersOf = (sets: UnionFind, links: readonly Link[]): DuplicateCluster[] => {
  const of = Map.groupBy(links, ({ a }) => sets.root(a));
  return sets.groups().map((rows) => {
    const own = of.get(rows[0]) ?? [];
    return { rows, exact: own.every(({ equal }) => equal), links: own };
  });
};

/** Remembered pairs are forgotten beyond this number: a pair may then be compared again. */
const MOST_REMEMBERED = 4_000_000;

/**
 * Clusters of equal and nearly equal texts: candidates by MinHash over word shingles with banding (Broder
 * 1997), each verified by its exact Jaccard similarity, joined by union-find. Memory per document: its band
 * keys and a hash of its text. Yields the share of work done; to cancel, stop iterating. Throws
 * `invalid-input` for settings out of range.
 */
export function* nearDuplicates(
  documents: Documents,
  options: NearDuplicateOptions = {},
): Generator<DoctorProgress, NearDuplicates> {
  const { threshold = DEFAULT_THRESHOLD, shingle = DEFAULT_SHINGLE, seed = 0 } = options;
  const { bands = DEFAULT_BANDS.bands, rows = DEFAULT_BANDS.rows } = options;
  if (!(threshold > 0 && threshold <= 1))
    throw new WhetstoneError('invalid-input', `A similarity lies between 0 and 1, not ${threshold}.`, {
      where: 'threshold',
    });
  const read = yield* hashed(documents, new MinHash({ bands, rows }, seed), shingle);
  const sets = new UnionFind(documents.count);
  const links = [...read.equal];
  for (const { a, b } of links) sets.join(a, b);
  const shingles = new Shingles(documents, shingle);
  let seen = new Set<number>();
  let [compared, skipped] = [0, 0];
  for (let band = 0; band < bands; band++) {
    const order = sortedBy(read, bands, band);
    for (let start = 0; start < read.distinct.length;) {
      let end = start + 1;
      while (end < read.distinct.length && order[2 * end + 1] === order[2 * start + 1]) end++;
      if (end - start > 1) {
        const members = Array.from({ length: end - start }, (_, m) => read.distinct[order[2 * (start + m)]]);
        if (seen.size > MOST_REMEMBERED) seen = new Set();
        const found = compareBucket(members, threshold, sets, shingles, seen, documents);
        for (const link of found.links) links.push(link);
        compared += found.compared;
        skipped += found.skipped;
      }
      if (Math.floor(end / BLOCK) > Math.floor(start / BLOCK))
        yield { share: HASHING + ((1 - HASHING) * (band + end / read.distinct.length)) / bands };
      start = end;
    }
  }
  return { clusters: clustersOf(sets, links), compared, skipped };
}

/**
 * Returns whether two of these texts are near duplicates by themselves. Texts shorter than a shingle are so
 * only if they are equal.
 */
export const similarTexts =
  (
    text: (at: number) => string,
    { threshold = DEFAULT_THRESHOLD, shingle = DEFAULT_SHINGLE }: NearDuplicateOptions = {},
  ) =>
  (a: number, b: number): boolean => {
    const [first, second] = [shinglesOf(text(a), shingle), shinglesOf(text(b), shingle)];
    return first.length === 0 || second.length === 0
      ? normalisedText(text(a)) === normalisedText(text(b))
      : jaccard(first, second) >= threshold;
  };

/** Runs a search to its end and returns what it found. */
export const finished = <T>(work: Generator<DoctorProgress, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};

/** Documents of a list of texts. */
export const documentsOf = (texts: readonly string[]): Documents => ({
  count: texts.length,
  text: (at) => texts[at],
});
