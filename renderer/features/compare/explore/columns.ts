import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Dimension } from '../../../charts/plot/marks.ts';

export type ExploreTable = Awaited<ReturnType<WhetstoneClient['explore']['table']>>;

/** A parameter or a result, with one value per run. */
export interface ExploreColumn {
  /** `parameter:` with its path, or `result:` with its id: as the address has it. */
  readonly id: string;
  readonly title: string;
  readonly kind: 'parameter' | 'result';
  readonly values: readonly (number | string | null)[];
  readonly intervals: readonly (readonly [number, number] | null)[];
  /** A smaller value is better: costs such as length, and losses. */
  readonly isLowBetter: boolean;
}

/** The last parts of each path that no other path ends with: `learningRate` for `optimizer.learningRate`. */
export function shortNames(paths: readonly string[]): string[] {
  return paths.map((path) => {
    const parts = path.split('.');
    for (let taken = 1; taken < parts.length; taken += 1) {
      const suffix = parts.slice(-taken).join('.');
      const isUnique = paths.every((each) => each === path || !`.${each}`.endsWith(`.${suffix}`));
      // `id` and `0` alone name nothing
      if (isUnique && !/^(\d+|id|kind|rows)$/.test(suffix)) return suffix;
    }
    return path;
  });
}

const lowBetter = /^(KL|length|truncated)$|loss|nll|perplexity|seconds|kl$/;

/** Columns of a table: parameters first, then results. */
export function columnsOf({ parameters, results }: ExploreTable): ExploreColumn[] {
  const names = shortNames(parameters.map(({ path }) => path));
  return [
    ...parameters.map(({ path, values }, at) => ({
      id: `parameter:${path}`,
      title: names[at],
      kind: 'parameter' as const,
      values,
      intervals: values.map(() => null),
      isLowBetter: false,
    })),
    ...results.map(({ id, title, values, intervals }) => ({
      id: `result:${id}`,
      title,
      kind: 'result' as const,
      values,
      intervals,
      isLowBetter: lowBetter.test(title),
    })),
  ];
}

export const isNumeric = ({ values }: ExploreColumn): boolean =>
  values.every((value) => value === null || typeof value === 'number');

/** Numbers from which a column of only positive ones is drawn by its logarithm. */
const WIDE = 50;
const isWide = (numbers: readonly number[]): boolean =>
  Math.min(...numbers) > 0 && Math.max(...numbers) / Math.min(...numbers) >= WIDE;

/** Parameters over a wide range, such as learning rates, have a logarithmic axis. */
export const isLog = ({ kind, values }: ExploreColumn): boolean => {
  const numbers = values.filter((value) => typeof value === 'number');
  return kind === 'parameter' && numbers.length > 0 && numbers.length === values.length && isWide(numbers);
};

/**
 * A column as an axis of parallel coordinates. Numbers over a wide range stand by their logarithm; texts, and
 * columns that some runs lack, by their distinct values in order, a lacking one last.
 */
export function dimensionOf({ title, values }: ExploreColumn): Dimension {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === values.length && numbers.length > 0) {
    if (!isWide(numbers)) return { title, values: numbers };
    const distinct = [...new Set(numbers)].sort((a, b) => a - b);
    const shown = distinct.length <= 8 ? distinct : [distinct[0], distinct[distinct.length - 1]];
    return {
      title: `${title} (log)`,
      values: numbers.map(Math.log10),
      ticks: shown.map((value) => ({ at: Math.log10(value), text: String(value) })),
    };
  }
  const distinct = [...new Set(values)].sort((a, b) =>
    a === null || b === null
      ? Number(a === null) - Number(b === null)
      : typeof a === 'number' && typeof b === 'number'
        ? a - b
        : String(a).localeCompare(String(b)),
  );
  return {
    title,
    values: values.map((value) => distinct.indexOf(value)),
    ticks: distinct.map((value, at) => ({ at, text: value === null ? '–' : shortened(String(value)) })),
  };
}

const LONGEST = 18;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

export interface Place {
  readonly x: number;
  readonly y: number;
}
export interface Directions {
  readonly isLowX: boolean;
  readonly isLowY: boolean;
}

/**
 * Indexes of the points that no other point beats in one coordinate without losing in the other, by x. Of
 * equal points all are kept.
 */
export function paretoFront(points: readonly Place[], { isLowX, isLowY }: Directions): number[] {
  const better = (a: number, b: number, isLow: boolean) => (isLow ? a < b : a > b);
  return points
    .map((_point, at) => at)
    .filter((at) => {
      const own = points[at];
      return !points.some(
        (other) =>
          (better(other.x, own.x, isLowX) && !better(own.y, other.y, isLowY)) ||
          (better(other.y, own.y, isLowY) && !better(own.x, other.x, isLowX)),
      );
    })
    .sort((a, b) => points[a].x - points[b].x || points[a].y - points[b].y);
}
