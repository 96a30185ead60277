/** Small undirected graphs and their proper colourings, by search. */

/** Vertices are 0 … vertices − 1; an edge joins two different ones. */
export interface Graph {
  readonly vertices: number;
  readonly edges: readonly (readonly [number, number])[];
}

const neighboursOf = ({ vertices, edges }: Graph): number[][] => {
  const near: number[][] = Array.from({ length: vertices }, () => []);
  for (const [a, b] of edges) {
    near[a].push(b);
    near[b].push(a);
  }
  return near;
};

/**
 * Enumerates proper colourings with colours 0 … k − 1, in the order of their text, until `visit` stops it.
 */
const walk = (graph: Graph, k: number, visit: (colours: readonly number[]) => boolean): void => {
  const near = neighboursOf(graph);
  const colours: number[] = [];
  const place = (vertex: number): boolean => {
    if (vertex === graph.vertices) return visit(colours);
    for (let colour = 0; colour < k; colour++) {
      if (near[vertex].some((other) => other < vertex && colours[other] === colour)) continue;
      colours[vertex] = colour;
      if (place(vertex + 1)) return true;
    }
    return false;
  };
  place(0);
};

/** Number of proper colourings with at most k colours (the chromatic polynomial at k). */
export const colourings = (graph: Graph, k: number): number => {
  let count = 0;
  walk(graph, k, () => {
    count++;
    return false;
  });
  return count;
};

/** The first colouring in the order of its text; null if there is none. */
export const firstColouring = (graph: Graph, k: number): readonly number[] | null => {
  let found: readonly number[] | null = null;
  walk(graph, k, (colours) => {
    found = [...colours];
    return true;
  });
  return found;
};

export const isConnected = (graph: Graph): boolean => {
  const near = neighboursOf(graph);
  const seen = new Set([0]);
  for (const vertex of seen) for (const other of near[vertex]) seen.add(other);
  return seen.size === graph.vertices;
};

export const cycle = (n: number): Graph => ({
  vertices: n,
  edges: Array.from({ length: n }, (_, i) => [i, (i + 1) % n] as const),
});

export const completeBipartite = (m: number, n: number): Graph => ({
  vertices: m + n,
  edges: Array.from({ length: m * n }, (_, i) => [Math.floor(i / n), m + (i % n)] as const),
});

/** Petersen's graph: an outer and an inner pentagon, the inner one as a star, and five spokes. */
export const petersen: Graph = {
  vertices: 10,
  edges: [0, 1, 2, 3, 4].flatMap(
    (i) =>
      [
        [i, (i + 1) % 5],
        [5 + i, 5 + ((i + 2) % 5)],
        [i, 5 + i],
      ] as const,
  ),
};
