/** Correlates the latents of episodes with their ends and returns. */
import { distancesOf, mantelTest } from '../../evaluate/index.ts';
import { symmetricEigen } from '../../regression/index.ts';
import type { LatentEpisodes } from '../../schema/coverage.ts';

/** An episode with its latent, and the column and row where it ended, in a world with a map. */
export interface LatentEpisode {
  readonly latent: readonly number[];
  readonly return: number;
  readonly end: number | null;
  readonly cell: readonly [number, number] | null;
}

interface Plane {
  readonly at: readonly (readonly [number, number])[];
  readonly explained: readonly [number, number];
}

/**
 * Points in the plane of their two leading principal components (Pearson 1901), by the eigenvectors of their
 * centred products [n × n], which have the same plane as their covariance. The largest place along an axis is
 * positive. Shares of variance are 0 where all points are equal.
 */
export const planeOf = (points: readonly (readonly number[])[]): Plane => {
  const n = points.length;
  const means = points[0].map((_none, f) => points.reduce((sum, point) => sum + point[f], 0) / n);
  const centred = points.map((point) => point.map((value, f) => value - means[f]));
  const products = Float64Array.from({ length: n * n }, (_none, at) => {
    const [one, other] = [centred[Math.floor(at / n)], centred[at % n]];
    return one.reduce((sum, value, f) => sum + value * other[f], 0);
  });
  const { values, vectors } = symmetricEigen(products, n);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const axisOf = (axis: number): number[] => {
    const places = points.map((_none, at) => vectors[at * n + axis] * Math.sqrt(Math.max(0, values[axis])));
    const farthest = places.reduce((far, place) => (Math.abs(place) > Math.abs(far) ? place : far), 0);
    return farthest < 0 ? places.map((place) => -place) : places;
  };
  const [first, second] = [axisOf(0), n > 1 ? axisOf(1) : points.map(() => 0)];
  const share = (axis: number): number => (total > 0 ? Math.max(0, values[axis] ?? 0) / total : 0);
  return { at: first.map((place, k) => [place, second[k]] as const), explained: [share(0), share(1)] };
};

/** Episodes in the plane of their latents, with Mantel tests of their ends and returns; `seed` keys these. */
export const latentEpisodes = (episodes: readonly LatentEpisode[], seed: number): LatentEpisodes => {
  const { at, explained } = planeOf(episodes.map(({ latent }) => latent));
  const latents = distancesOf(episodes.map(({ latent }) => latent));
  const cells = episodes.flatMap(({ cell }) => (cell ? [cell] : []));
  return {
    episodes: episodes.map(({ latent, return: earned, end }, k) => ({
      latent: [...latent],
      at: [at[k][0], at[k][1]],
      return: earned,
      end,
    })),
    explained: [explained[0], explained[1]],
    ends: cells.length === episodes.length ? mantelTest(latents, distancesOf(cells), { seed }) : null,
    returns: mantelTest(latents, distancesOf(episodes.map((each) => [each.return])), { seed }),
  };
};
