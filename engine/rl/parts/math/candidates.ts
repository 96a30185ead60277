/** Partial answers that a guided search grows, line by line. */

/** A partial or whole answer. */
export interface Candidate {
  /** Tokens of the answer so far, with their log-probabilities; how many of them its last line has. */
  readonly tokens: readonly number[];
  readonly logp: readonly number[];
  readonly fresh: number;
  readonly text: string;
  /** It has ended, or has no room left. */
  readonly isDone: boolean;
  /** The model ended it itself. */
  readonly ended: boolean;
  /** The candidate that it continues: its place among those of its search; −1 for a first line. */
  readonly parent: number;
  readonly value: number;
  /** Its number among the samples of its problem, and the raw value of each scorer. */
  readonly sample: number;
  readonly scores: { readonly [scorer: string]: number };
}

export interface Growing {
  readonly problem: number;
  readonly parent: number;
  readonly candidate: Candidate | null;
}

/** Continues candidates of problems by a line, and values the results; null: the empty answer. */
export type Grow = (from: readonly Growing[]) => Promise<readonly Candidate[]>;

export interface Searched {
  /** Every candidate, in the order in which they were written. */
  readonly tried: readonly Candidate[];
  /** Place of the answer that the search ends with. */
  readonly pick: number;
}

/** The places of the best distinct texts: another candidate with the same text adds nothing. */
export const best = (tried: readonly Candidate[], places: readonly number[], count: number): number[] => {
  const ranked = places.toSorted((a, b) => tried[b].value - tried[a].value || a - b);
  const first = new Map(ranked.toReversed().map((place) => [tried[place].text, place]));
  return ranked.filter((place) => first.get(tried[place].text) === place).slice(0, count);
};
