/** Where a policy went in a world whose states lie on a map, and what its latents had to do with it. */
import * as z from 'zod';
import { real } from './real.ts';

/** Visits of the cells of a map, and paths over it; at most some 20,000 numbers. */
export const CellCoverage = z.strictObject({
  /** Size of the map, walls included. */
  columns: real,
  rows: real,
  /** Numbers of the open cells, row · columns + column from the top left on, ascending; the others are walls. */
  cells: z.array(real),
  /** Times that the run was in each of these in training so far; absent before it has acted. */
  training: z.array(real).optional(),
  /** Times that the episodes of the evaluation were there. */
  evaluation: z.array(real),
  /** Where the first episodes were, from start to end, as places in `cells`: [episode][step]. */
  paths: z.array(z.array(real)),
});
export type CellCoverage = z.infer<typeof CellCoverage>;

/** A Mantel test of `n` items: correlation of two kinds of distances, and its one-sided p. */
export const MantelTest = z.strictObject({ n: real, r: real, p: real });
export type MantelTest = z.infer<typeof MantelTest>;

/** Episodes of an evaluation whose policy reads a latent, in the order of the evaluation. */
export const LatentEpisodes = z.strictObject({
  episodes: z.array(
    z.strictObject({
      latent: z.array(real),
      /** Its place in the plane of the two leading principal components of these latents. */
      at: z.tuple([real, real]),
      return: real,
      /** Place in the `cells` of the coverage where it ended; null in a world without a map. */
      end: real.nullable(),
    }),
  ),
  /** Share of the latents' variance along each axis of the plane. */
  explained: z.tuple([real, real]),
  /** Do similar latents end in similar cells? Null without a map, and where all end in the same. */
  ends: MantelTest.nullable(),
  /** Do similar latents earn similar returns? Null where all earn the same. */
  returns: MantelTest.nullable(),
});
export type LatentEpisodes = z.infer<typeof LatentEpisodes>;
