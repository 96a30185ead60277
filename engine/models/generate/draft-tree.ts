/**
 * Recursive speculative decoding (arXiv:2402.14160): a tree of drafts without repeats, and its verification,
 * which leaves the target's law unchanged. Distributions are Float64Array[V] that sum to 1.
 */
import type { RandomStream } from '../../random/random.ts';

/**
 * Up to `count` different tokens of positive probability, drawn one after the other from what the earlier ones
 * leave (the Gumbel-top-k trick: the largest of log p + Gumbel noise, in falling order).
 */
export const withoutReplacement = (
  p: Float64Array,
  count: number,
  random: Pick<RandomStream, 'next'>,
): number[] => {
  const perturbed = Array.from(p, (x) => {
    const gumbel = -Math.log(-Math.log(random.next()));
    return x > 0 ? Math.log(x) + gumbel : -Infinity;
  });
  return [...perturbed.keys()]
    .filter((token) => perturbed[token] > -Infinity)
    .sort((a, b) => perturbed[b] - perturbed[a])
    .slice(0, count);
};

/** A token by inversion; the last one of positive probability if rounding leaves none. */
const drawFrom = (p: Float64Array, random: Pick<RandomStream, 'next'>): number => {
  let left = random.next() * p.reduce((a, b) => a + b, 0);
  let last = 0;
  for (let token = 0; token < p.length; token++) {
    if (p[token] <= 0) continue;
    last = token;
    left -= p[token];
    if (left <= 0) break;
  }
  return last;
};

const normalized = (p: Float64Array): Float64Array | null => {
  const total = p.reduce((a, b) => a + b, 0);
  return total > 0 ? p.map((x) => x / total) : null;
};

/**
 * Verifies siblings that were drawn from `draft` without replacement, in that order: each is accepted with
 * probability min(1, target ⁄ draft); at a rejection the target becomes what it has above the draft,
 * (target − draft)⁺ normalized, and the draft loses the token. If none is accepted, the token is drawn from what
 * is left of the target. `place`: that of the accepted sibling, −1 for none. The token’s law is the target.
 */
export const verifySiblings = (
  target: Float64Array,
  draft: Float64Array,
  siblings: readonly number[],
  random: Pick<RandomStream, 'next'>,
): { readonly token: number; readonly place: number } => {
  let q = target;
  let p: Float64Array | null = draft;
  for (const [place, token] of siblings.entries()) {
    if (!p) break;
    if (random.next() * p[token] < q[token]) return { token, place };
    const rest = p;
    // equal distributions are rejected by rounding alone, and leave the target as it is
    q = normalized(q.map((x, v) => Math.max(0, x - rest[v]))) ?? q;
    p = normalized(p.map((x, v) => (v === token ? 0 : x)));
  }
  return { token: drawFrom(q, random), place: -1 };
};

/** A node of a tree of drafts: the tokens from the root to it, and its children in the order of their draw. */
export interface DraftNode {
  readonly path: readonly number[];
  readonly children: DraftNode[];
  /** The draft's distribution after it; absent for a leaf. */
  draft?: Float64Array;
}

/** Distributions after texts, each the continuation of a row by a path. */
export type Distributions = (
  nodes: readonly { readonly row: number; readonly path: readonly number[] }[],
) => Promise<readonly Float64Array[]>;

export interface TreePlan {
  /** Children of each node, level by level. */
  readonly branching: readonly number[];
  /** Most levels of the tree of one row. */
  depth(row: number): number;
  /** True for a token after which nothing follows. */
  ends(token: number): boolean;
}

/** A tree for each of `rows` rows; the draft model reads all nodes of a level together. */
export const draftTrees = async (
  rows: number,
  { branching, depth, ends }: TreePlan,
  draft: Distributions,
  random: (row: number) => Pick<RandomStream, 'next'>,
): Promise<readonly DraftNode[]> => {
  const roots = Array.from({ length: rows }, (): DraftNode => ({ path: [], children: [] }));
  let level = roots.map((node, row) => ({ row, node }));
  for (const [at, count] of branching.entries()) {
    const open = level.filter(
      ({ row, node: { path } }) => at < depth(row) && (path.length === 0 || !ends(path[path.length - 1])),
    );
    if (open.length === 0) break;
    const read = await draft(open.map(({ row, node: { path } }) => ({ row, path })));
    level = open.flatMap(({ row, node }, i) => {
      node.draft = read[i];
      const drawn = withoutReplacement(read[i], count, random(row));
      node.children.push(...drawn.map((token): DraftNode => ({ path: [...node.path, token], children: [] })));
      return node.children.map((child) => ({ row, node: child }));
    });
  }
  return roots;
};

/** All nodes of a tree, the root first. */
export const nodesOf = (node: DraftNode): DraftNode[] => [node, ...node.children.flatMap(nodesOf)];

/**
 * Follows accepted siblings from the root down; the last token is drawn from the target, or from what is left of
 * it where all siblings were rejected. One token more than was accepted, unless an end was.
 */
export const acceptedPath = (
  root: DraftNode,
  target: (node: DraftNode) => Float64Array,
  ends: (token: number) => boolean,
  random: Pick<RandomStream, 'next'>,
): readonly { readonly token: number; readonly target: Float64Array }[] => {
  const made: { token: number; target: Float64Array }[] = [];
  let node: DraftNode | undefined = root;
  while (node) {
    const own = target(node);
    const { draft, children }: DraftNode = node;
    const siblings = children.map(({ path }) => path[path.length - 1]);
    const { token, place } = verifySiblings(own, draft ?? own, siblings, random);
    made.push({ token, target: own });
    node = place >= 0 && !ends(token) ? children[place] : undefined;
  }
  return made;
};
