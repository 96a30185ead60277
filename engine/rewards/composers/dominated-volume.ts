/** Geometry of Pareto fronts; every coordinate is to be large. */

export type Point = readonly number[];

/** True if `a` is at least `b` everywhere, and larger somewhere. */
export const dominates = (a: Point, b: Point): boolean =>
  a.every((x, k) => x >= b[k]) && a.some((x, k) => x > b[k]);

/** The points that no other dominates, each once, in their order. */
export const frontOf = (points: readonly Point[]): readonly Point[] =>
  points.filter(
    (point, at) =>
      !points.some(
        (other, i) => dominates(other, point) || (i < at && other.every((x, k) => x === point[k])),
      ),
  );

/**
 * Volume that the points dominate above a reference point, by slices along the last coordinate (Zitzler's
 * hypervolume; exponential in the number of coordinates, so for few of them). Points that do not exceed the
 * reference in every coordinate add nothing.
 */
export const dominatedVolume = (points: readonly Point[], reference: Point): number => {
  const last = reference.length - 1;
  const inside = points.filter((point) => point.every((x, k) => x > reference[k]));
  if (inside.length === 0) return 0;
  if (last === 0) return Math.max(...inside.map(([x]) => x)) - reference[0];
  const sorted = [...inside].sort((a, b) => b[last] - a[last]);
  const rest = reference.slice(0, last);
  return sorted.reduce((volume, point, at) => {
    const height = point[last] - (sorted[at + 1]?.[last] ?? reference[last]);
    if (height === 0) return volume;
    const slice = sorted.slice(0, at + 1).map((each) => each.slice(0, last));
    return volume + height * dominatedVolume(frontOf(slice), rest);
  }, 0);
};
