/** Disjoint sets of 0 … n − 1 by union to the smaller root, with path halving (Tarjan and van Leeuwen 1984). */
export class UnionFind {
  readonly #parent: Uint32Array;

  constructor(n: number) {
    this.#parent = Uint32Array.from({ length: n }, (_, i) => i);
  }

  /** The smallest member of the set of `x`. */
  root(x: number): number {
    const parent = this.#parent;
    let at = x;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  /** Joins two sets; false if they were one already. */
  join(a: number, b: number): boolean {
    const [x, y] = [this.root(a), this.root(b)];
    if (x === y) return false;
    this.#parent[Math.max(x, y)] = Math.min(x, y);
    return true;
  }

  /** Sets of at least two members, each rising, by their first member. */
  groups(): number[][] {
    const found = new Map<number, number[]>();
    this.#parent.forEach((_, x) => {
      const root = this.root(x);
      if (root === x) return;
      const group = found.get(root);
      if (group) group.push(x);
      else found.set(root, [root, x]);
    });
    return [...found.values()].sort((a, b) => a[0] - b[0]);
  }
}
