/** Invalid inputs of statistics: numbers that are none, empty lists, lists of unequal lengths. */
export const { NaN: none, POSITIVE_INFINITY: inf } = Number;
export type Args = readonly unknown[];
export interface Case {
  readonly takes: Args;
  readonly refuses: { readonly [what: string]: Args };
}

/** Invalid values for a list of numbers, combined with the call's other arguments. */
export const list = (
  around: (xs: readonly number[]) => Args,
  bad: readonly number[] = [none, inf, -inf],
  empty = true,
): { readonly [what: string]: Args } => ({
  ...Object.fromEntries(
    bad.flatMap((x) => [
      [`${x} at first`, around([x, 1, 2])],
      [`${x} at last`, around([0, 1, x])],
      [`${x} alone`, around([x])],
    ]),
  ),
  ...(empty && { nothing: around([]) }),
});
export const two = (
  around: (xs: readonly unknown[], ys: readonly unknown[]) => Args,
  bad: readonly number[] = [none, inf, -inf],
) => ({
  ...Object.fromEntries(
    bad.flatMap((x) => [
      [`${x} in the first list`, around([0, x, 2], [1, 2, 4])],
      [`${x} in the second list`, around([1, 2, 4], [0, x, 2])],
    ]),
  ),
  nothing: around([], []),
  'unequal lengths': around([1, 2, 3], [1, 2]),
});
export const counts = (
  around: (n: number) => Args,
  bad: readonly number[] = [none, inf, -1, 0, 1.5],
): { readonly [what: string]: Args } => Object.fromEntries(bad.map((n) => [`${n}`, around(n)]));
