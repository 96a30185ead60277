import * as z from 'zod';
import { call } from './define.ts';

const id = z.string().min(1);

export const lineageKinds = ['dataset', 'label-set', 'run', 'checkpoint', 'model'] as const;
export type LineageKind = (typeof lineageKinds)[number];

/** A thing of the workspace, or a file, that others were made from. */
export const LineageNode = z.strictObject({
  kind: z.enum([...lineageKinds, 'file']),
  /** Of a file, its path. */
  id: z.string(),
  name: z.string(),
  /** The state that was used, or how it was made, in a few words. */
  note: z.string(),
  /** It is no longer in the workspace. */
  removed: z.boolean().optional(),
});
export type LineageNode = z.infer<typeof LineageNode>;

export const lineage = {
  /** What it was made from, and what was made from it: one step each way, the newest 200. */
  of: call(
    z.strictObject({ kind: z.enum(lineageKinds), id }),
    z.strictObject({ node: LineageNode, from: z.array(LineageNode), usedBy: z.array(LineageNode) }),
  ),
};
