import * as z from 'zod';
import { call } from './define.ts';

const id = z.string().min(1);

export const lineageKinds = ['dataset', 'label-set', 'run', 'checkpoint', 'model'] as const;
export type LineageKind = (typeof lineageKinds)[number];

/** Kinds of things in the graph of lineage. */
export const graphKinds = [...lineageKinds, 'version', 'evaluation', 'file'] as const;
export type GraphKind = (typeof graphKinds)[number];

/** A thing of the workspace, or a file, that others were made from. */
export const LineageNode = z.strictObject({
  kind: z.enum(graphKinds),
  /** Of a file its path, of a version `DATASET@SEQUENCE`, of an evaluation `RUN/KIND/STEP`. */
  id: z.string(),
  name: z.string(),
  /** The state that was used, or how it was made, in a few words. */
  note: z.string(),
  /** It is no longer in the workspace. */
  removed: z.boolean().optional(),
});
export type LineageNode = z.infer<typeof LineageNode>;

export const GraphNode = LineageNode.extend({
  /** Neighbours that the graph leaves out, at most 200 each way. */
  more: z.strictObject({ from: z.number(), usedBy: z.number() }),
});
export type GraphNode = z.infer<typeof GraphNode>;

/** Edges lead from a thing to what was made from it, as positions in `nodes`; the first node is the focus. */
export const LineageGraph = z.strictObject({
  nodes: z.array(GraphNode),
  edges: z.array(z.strictObject({ from: z.number(), to: z.number() })),
});
export type LineageGraph = z.infer<typeof LineageGraph>;

export const lineage = {
  /** What it was made from, and what was made from it: one step each way, the newest 200. */
  of: call(
    z.strictObject({ kind: z.enum(lineageKinds), id }),
    z.strictObject({ node: LineageNode, from: z.array(LineageNode), usedBy: z.array(LineageNode) }),
  ),
  /** Ancestors and descendants of a thing up to so many steps, at most 400 things. */
  graph: call(
    z.strictObject({
      kind: z.enum(graphKinds),
      id,
      steps: z.int().min(1).max(8).default(2),
      /** Most neighbours of a thing that are followed, each way: the newest. */
      each: z.int().min(1).max(100).default(8),
    }),
    LineageGraph,
  ),
};
