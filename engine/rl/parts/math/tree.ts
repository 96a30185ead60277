/** The tree of the answers to a prompt: they share beginnings, and values are backed up from their ends. */

/** An answer in its tree. */
export interface Leaf {
  /** Its tokens, a given beginning included, and how many were given. */
  readonly tokens: readonly number[];
  readonly given: number;
  /** Lengths of the answer behind each of its steps, rising; the last is its whole length. */
  readonly ends: readonly number[];
  readonly value: number;
  readonly weight: number;
}

/** A state: an answer up to the end of a step, or up to where another answer branches off. */
export interface TreeNode {
  /** Tokens of the answer so far. */
  readonly length: number;
  /** Backed-up value: the mean of what the samples drawn from here went on to. */
  readonly value: number;
  /** Samples that were drawn from here, by weight. */
  readonly visits: number;
  /** Leaves that pass it or begin here, of which the first ones were drawn from here or above. */
  readonly leaves: readonly number[];
}

export interface Tree {
  /** The states of each leaf, from where it begins to its end. */
  readonly paths: readonly (readonly TreeNode[])[];
}

const keyOf = (tokens: readonly number[], length: number): string => tokens.slice(0, length).join(' ');

/** Lengths at which each leaf's path has a state: its beginning, its steps' ends, and branches of others. */
const lengthsOf = (leaves: readonly Leaf[]): number[][] => {
  const branches = new Map<string, number>();
  for (const { tokens, given } of leaves) branches.set(keyOf(tokens, given), given);
  const places = [...new Set(branches.values())];
  return leaves.map(({ tokens, given, ends }) => {
    const splits = places.filter((at) => at < tokens.length && branches.has(keyOf(tokens, at)));
    return [...new Set([given, ...ends, ...splits])].filter((at) => at >= given).sort((a, b) => a - b);
  });
};

/**
 * Values of all states of a prompt's answers, backed up from the ends: V(state) is the weighted mean, over the
 * answers sampled through it or from it, of the value of the state that each went on to, and an end's value is
 * its reward. An answer that began below a state is no sample of it, so that a state is worth the same however
 * often the states below were tried: the estimate is unbiased, and with every outcome, weighted by its
 * probability, it is the exact expectation.
 */
export const treeOf = (leaves: readonly Leaf[]): Tree => {
  const lengths = lengthsOf(leaves);
  const keys = leaves.map(({ tokens }, leaf) => lengths[leaf].map((length) => keyOf(tokens, length)));
  const states = new Map<string, { length: number; leaves: number[] }>();
  keys.forEach((own, leaf) =>
    own.forEach((key, at) => {
      const state = states.get(key) ?? { length: lengths[leaf][at], leaves: [] };
      state.leaves.push(leaf);
      states.set(key, state);
    }),
  );
  const nodes = new Map<string, TreeNode>();
  for (const [key, { length, leaves: through }] of [...states].sort(([, a], [, b]) => b.length - a.length)) {
    let [visits, total] = [0, 0];
    for (const leaf of through) {
      const next = keys[leaf][keys[leaf].indexOf(key) + 1] as string | undefined;
      const { weight, value } = leaves[leaf];
      visits += weight;
      total += weight * (next === undefined ? value : (nodes.get(next)?.value ?? 0));
    }
    nodes.set(key, { length, value: visits > 0 ? total / visits : 0, visits, leaves: through });
  }
  return { paths: keys.map((own) => own.map((key) => nodes.get(key) as TreeNode)) };
};
