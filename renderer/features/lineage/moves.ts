import type { Edge, Placed } from './layout.ts';

/** Keys that move the focus along edges and within a column. */
export const moveKeys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home'] as const;
export type MoveKey = (typeof moveKeys)[number];

/**
 * The thing that a key leads to: left to what it was made from, right to what was made from it (the nearest in
 * height), up and down within its column, Home to the centre. Null without one.
 */
export function moved(
  key: MoveKey,
  at: number,
  { nodes, edges }: { readonly nodes: readonly Placed[]; readonly edges: readonly Edge[] },
): number | null {
  if (key === 'Home') return 0;
  const here = nodes[at];
  const others: readonly number[] =
    key === 'ArrowLeft'
      ? edges.flatMap(({ from, to }) => (to === at ? [from] : []))
      : key === 'ArrowRight'
        ? edges.flatMap(({ from, to }) => (from === at ? [to] : []))
        : nodes.flatMap(({ layer, y }, other) =>
            layer === here.layer && (key === 'ArrowUp' ? y < here.y : y > here.y) ? [other] : [],
          );
  const far = (other: number): number => Math.abs(nodes[other].y - here.y);
  return others.reduce<number | null>(
    (best, other) => (best === null || far(other) < far(best) ? other : best),
    null,
  );
}
