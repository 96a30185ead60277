import {
  nearDuplicates,
  type DoctorProgress,
  type Documents,
  type NearDuplicateOptions,
} from './near-duplicates.ts';

/** A named side of a split: a dataset's training rows, its held-out rows, the problems of a world. */
export interface SplitSide extends Documents {
  readonly name: string;
  id(at: number): string;
}

/** Prompts that are the same, or nearly so, on more than one side. */
export interface Leak {
  /** Rows of each side that has any, in the order of the sides. */
  readonly sides: readonly { readonly name: string; readonly rows: readonly string[] }[];
  /** True if all of them are equal after normalisation. */
  readonly exact: boolean;
}

/**
 * Leakage between splits, or from training data into evaluation problems: clusters of equal and nearly equal
 * texts that reach over more than one side. Yields the share of work done; to cancel, stop iterating.
 */
export function* leakage(
  sides: readonly SplitSide[],
  options?: NearDuplicateOptions,
): Generator<DoctorProgress, Leak[]> {
  const starts = [0];
  for (const { count } of sides) starts.push(starts[starts.length - 1] + count);
  const sideOf = (row: number) => starts.findLastIndex((start, at) => at < sides.length && start <= row);
  const { clusters } = yield* nearDuplicates(
    {
      count: starts[sides.length],
      text: (row) => {
        const side = sideOf(row);
        return sides[side].text(row - starts[side]);
      },
    },
    options,
  );
  return clusters.flatMap(({ rows, exact }) => {
    const found = sides.flatMap((side, at) => {
      const own = rows.filter((row) => sideOf(row) === at).map((row) => side.id(row - starts[at]));
      return own.length === 0 ? [] : [{ name: side.name, rows: own }];
    });
    return found.length > 1 ? [{ sides: found, exact }] : [];
  });
}

/** A side from a list of rows. */
export const splitSide = (
  name: string,
  rows: readonly { readonly id: string; readonly text: string }[],
): SplitSide => ({
  name,
  count: rows.length,
  text: (at) => rows[at].text,
  id: (at) => rows[at].id,
});
