import type { GraphKind, GraphNode, LineageGraph } from '../../../preload/contract/lineage.ts';
import { found, type StoreContext } from '../context.ts';
import { descriptions } from './describe.ts';
import { key, textOf, type Key } from './keys.ts';
import { neighbours, type Neighbours } from './neighbours.ts';

/** Most things in a graph. */
const mostNodes = 400;

/** The part of the graph that is asked for. */
export interface Extent {
  /** Steps from the focus, each way. */
  readonly steps: number;
  /** Most neighbours of a thing that are followed, each way. */
  readonly each: number;
}

type Way = keyof Neighbours;

/** The graph of lineage around a thing: its ancestors and its descendants. */
export const lineageGraphQueries = ({ db }: StoreContext) => {
  const describe = descriptions(db);
  const near = neighbours(db);
  return {
    /** Edges lead from a thing to what was made from it. Throws `not-found`. */
    graph(kind: GraphKind, id: string, extent: Extent): LineageGraph {
      const focus = key(kind, id);
      const known = new Map<string, Neighbours>();
      const around = (of: Key): Neighbours => {
        const read = known.get(textOf(of)) ?? near(of);
        known.set(textOf(of), read);
        return read;
      };
      // a file is in the workspace if something was made from it
      const isThere = kind === 'file' ? around(focus).usedBy.length > 0 : describe(focus).removed !== true;
      if (!isThere) found(undefined, kind.replace('-', ' '), id);
      const shown = new Map([[textOf(focus), focus]]);
      for (const way of ['from', 'usedBy'] as const) follow({ focus, way, extent, around, shown });
      return graphOf([...shown.values()], around, describe);
    },
  };
};

/** Adds the things that are reached from the focus one way. */
function follow({
  focus,
  way,
  extent,
  around,
  shown,
}: {
  focus: Key;
  way: Way;
  extent: Extent;
  around: (of: Key) => Neighbours;
  shown: Map<string, Key>;
}): void {
  const seen = new Set([textOf(focus)]);
  let front = [focus];
  for (let step = 0; step < extent.steps; step += 1) {
    const next: Key[] = [];
    for (const of of front)
      for (const each of around(of)[way].slice(0, extent.each)) {
        const text = textOf(each);
        if (seen.has(text) || (shown.size >= mostNodes && !shown.has(text))) continue;
        seen.add(text);
        shown.set(text, each);
        next.push(each);
      }
    front = next;
  }
}

function graphOf(
  keys: readonly Key[],
  around: (of: Key) => Neighbours,
  describe: (key: Key) => Omit<GraphNode, 'more'>,
): LineageGraph {
  const at = new Map(keys.map((each, index) => [textOf(each), index]));
  const edges = new Map<string, { from: number; to: number }>();
  const add = (from: number, to: number): unknown => edges.set(`${from} ${to}`, { from, to });
  const nodes = keys.map((each, index) => {
    const { from, usedBy } = around(each);
    const hidden = (others: readonly Key[], join: (other: number) => unknown): number => {
      const known = others.flatMap((other) => at.get(textOf(other)) ?? []);
      for (const other of known) join(other);
      return others.length - known.length;
    };
    return {
      ...describe(each),
      more: {
        from: hidden(from, (other) => add(other, index)),
        usedBy: hidden(usedBy, (other) => add(index, other)),
      },
    };
  });
  return { nodes, edges: [...edges.values()] };
}
