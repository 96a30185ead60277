/** The answers that a search has tried, problem by problem: all that a rule may look at. */

/** Answers to one problem, in the order in which they were sampled; every list has one item per answer. */
export interface TriedProblem {
  readonly promptId: string;
  /** The answer that can be read in each text; null where none can, which is no vote. */
  readonly answers: readonly (string | null)[];
  /** 1 if the verifier finds it right; only the curve and the oracle look at it. */
  readonly correct: readonly number[];
  /** Number of the text: equal texts have equal numbers. */
  readonly texts: readonly number[];
  /** Sampled tokens, the end token included. */
  readonly tokens: readonly number[];
  /** Log-probability of the whole text, in nats, at the sampling temperature. */
  readonly logp: readonly number[];
  /** Numbers of each scorer, by name: those of the run, and the policy's own confidence. */
  readonly scores: { readonly [scorer: string]: readonly number[] };
}

/** Numbers each text by its first occurrence, so that equal texts share a number. */
export const textNumbers = (texts: readonly string[]): number[] => {
  const known = new Map<string, number>();
  return texts.map((text) => {
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    return number;
  });
};
