import * as z from 'zod';
import { call, done, nothing } from './define.ts';

export const Workspace = z.strictObject({
  path: z.string(),
  name: z.string(),
  id: z.string(),
  createdAt: z.number(),
});
export type Workspace = z.infer<typeof Workspace>;

const path = z.string().min(1);

export const workspaces = {
  /** The open workspace, or null before one is chosen. */
  current: call(nothing, Workspace.nullable()),
  /** Creates a folder with an empty workspace; refuses a folder that already holds one. */
  create: call(z.strictObject({ path, name: z.string().max(120).default('') }), Workspace),
  open: call(z.strictObject({ path }), Workspace),
  recent: call(
    nothing,
    z.array(
      z.strictObject({ path: z.string(), name: z.string(), openedAt: z.number(), exists: z.boolean() }),
    ),
  ),
  /** A folder that does not exist yet, offered for a new workspace: `Whetstone/first` below the user's home. */
  defaultFolder: call(nothing, z.strictObject({ path: z.string() })),
  /** The folder of the finished samples; null if none ship with this build. */
  samples: call(nothing, z.strictObject({ path: z.string() }).nullable()),
  /** Opens the user’s copy of the finished samples, which is made if it is missing. */
  openSamples: call(nothing, Workspace),
  /**
   * Copies the open workspace (a consistent snapshot of the database, and its artifacts) into a new folder.
   */
  backup: call(z.strictObject({ path }), z.strictObject({ path: z.string(), bytes: z.number() })),
  rename: call(z.strictObject({ name: z.string().min(1).max(120) }), done),
  usage: call(
    nothing,
    z.strictObject({ databaseBytes: z.number(), artifactBytes: z.number(), unusedBytes: z.number() }),
  ),
  /** Deletes unreferenced artifacts. */
  collect: call(nothing, z.strictObject({ freedBytes: z.number() })),
};
