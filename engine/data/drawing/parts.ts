import { WhetstoneError } from '../../common/errors.ts';
import { hashFraction } from '../../random/hash.ts';

/** A part of a split; its share is its weight divided by the sum of all. */
export interface Part {
  readonly name: string;
  readonly weight: number;
}
/** A row to be assigned. */
export interface SplitRow {
  /** Rows of the same group are never in two parts. */
  readonly group: string;
  /** Value by which the split is stratified; null: not stratified. */
  readonly stratum: string | null;
  /** The part that the row is in already, or −1: it stays there, and its group with it. */
  readonly part: number;
}

/** The part whose share of the interval [0, 1) contains a number. */
const partAt = (fraction: number, shares: readonly number[]): number => {
  let end = 0;
  for (const [part, share] of shares.entries()) {
    end += share;
    if (fraction < end) return part;
  }
  return shares.findLastIndex((share) => share > 0);
};

/** Assigns the groups of one stratum in turn, so that its shares are nearly exact at any time. */
class Stratum {
  readonly #shares: readonly number[];
  readonly #counts: number[];
  #total = 0;

  constructor(shares: readonly number[]) {
    this.#shares = shares;
    this.#counts = shares.map(() => 0);
  }

  /** Counts a group that is in a part already. */
  count(part: number): void {
    this.#counts[part] += 1;
    this.#total += 1;
  }

  /** A part that lacks groups, with a probability proportional to what it lacks. */
  next(fraction: number): number {
    const lacks = this.#shares.map((share, part) =>
      share > 0 ? Math.max(0, share * (this.#total + 1) - this.#counts[part]) : 0,
    );
    const sum = lacks.reduce((all, lack) => all + lack, 0);
    const part = partAt(
      fraction,
      lacks.map((lack) => lack / sum),
    );
    this.count(part);
    return part;
  }
}

/**
 * The part of each row, as an index into `parts`. A group's part is a hash of its key and the seed: it
 * depends on no other row, so rows that are added move none. Stratified: the groups of a stratum are assigned
 * in their order, each to a part that lacks some, so that each part has its share of each stratum to within
 * one group above and the number of parts below; later rows move no earlier ones. Throws `invalid-input` for
 * weights that are negative, not finite or all 0.
 */
export const assignParts = (rows: readonly SplitRow[], parts: readonly Part[], seed: number): Uint32Array => {
  const sum = parts.reduce((all, { weight }) => all + weight, 0);
  const wrong = parts.find(({ weight }) => !(weight >= 0 && Number.isFinite(weight)));
  if (wrong || !(sum > 0) || !Number.isFinite(sum))
    throw new WhetstoneError('invalid-input', 'The weights of parts are numbers above 0.', {
      where: wrong?.name ?? 'parts',
      hint: 'Write shares such as train=.8 and test=.2.',
    });
  const shares = parts.map(({ weight }) => weight / sum);
  const assigned = new Map<string, number>();
  const strata = new Map<string, Stratum>();
  const stratumOf = (name: string): Stratum => {
    const known = strata.get(name) ?? new Stratum(shares);
    strata.set(name, known);
    return known;
  };
  for (const { group, stratum, part } of rows) {
    if (part < 0 || assigned.has(group)) continue;
    assigned.set(group, part);
    if (stratum !== null) stratumOf(stratum).count(part);
  }
  return Uint32Array.from(rows, ({ group, stratum, part: own }) => {
    if (own >= 0) return own;
    let part = assigned.get(group);
    if (part === undefined) {
      const fraction = hashFraction('part', String(seed), group);
      part = stratum === null ? partAt(fraction, shares) : stratumOf(stratum).next(fraction);
      assigned.set(group, part);
    }
    return part;
  });
};
