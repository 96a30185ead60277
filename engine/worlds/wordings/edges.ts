import type { Draws, Wordings } from '../../common/wordings.ts';

/** Ways in which the edges of a graph can be told. */
export const changes = ['order', 'direction', 'repetition'] as const;

/** A prompt around its edges. */
interface Told {
  readonly edges: readonly string[];
  readonly before: string;
  readonly behind: string;
}
const read = (prompt: string): Told | null => {
  const [, before, edges, behind] = /^(colour )((?:[a-l]{2} )+)(with [2-4]\?)$/.exec(prompt) ?? [];
  return edges === undefined ? null : { before, edges: edges.trimEnd().split(' '), behind };
};

const turned = ([a, b]: string): string => b + a;
/** An edge from its first letter to its later one. */
const forward = (edge: string): string => (edge[0] < edge[1] ? edge : turned(edge));

/** At least one of them, and about a third. */
const some = (count: number, draw: Draws): ReadonlySet<number> => {
  const all = draw.shuffle(Array.from({ length: count }, (_none, at) => at));
  return new Set(all.slice(0, 1 + draw.int(Math.ceil(count / 3))));
};

const isSorted = (edges: readonly string[]): boolean =>
  edges.every((edge, at) => at === 0 || edges[at - 1] <= edge);

/** In another order than that of the alphabet; one edge has no other. */
function shuffled(edges: readonly string[], draw: Draws): readonly string[] {
  if (new Set(edges).size < 2) return edges;
  for (;;) {
    const found = draw.shuffle(edges);
    if (!isSorted(found)) return found;
  }
}

/**
 * The edges in another order, from their other end, or twice: `colour ab ac with 3?` as
 * `colour ca ab ab with 3?`. The graph stays, and so do its colourings. `answer` and `worked` as the world
 * tells them.
 */
export const edgeWordings = ({ answer, worked }: Pick<Wordings, 'answer' | 'worked'>): Wordings => ({
  kinds: changes,
  say: (prompt, kinds, draw) => {
    const told = answer(prompt) === null ? null : read(prompt);
    if (told === null) return null;
    const plain = [...new Set(told.edges.map(forward))].sort();
    const again = kinds.includes('repetition') ? some(plain.length, draw) : new Set();
    const all = plain.flatMap((edge, at) => (again.has(at) ? [edge, edge] : [edge]));
    const ordered = kinds.includes('order') ? shuffled(all, draw) : all;
    const other = kinds.includes('direction') ? some(ordered.length, draw) : new Set();
    const edges = ordered.map((edge, at) => (other.has(at) ? turned(edge) : edge));
    return `${told.before}${edges.join(' ')} ${told.behind}`;
  },
  kindsOf: (prompt) => {
    const told = read(prompt);
    if (told === null) return [];
    const edges = told.edges.map(forward);
    const found = {
      order: !isSorted(edges),
      direction: told.edges.some((edge, at) => edge !== edges[at]),
      repetition: new Set(edges).size < edges.length,
    };
    return changes.filter((change) => found[change]);
  },
  answer,
  worked,
});
