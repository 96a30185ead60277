import { WhetstoneError } from '../common/errors.ts';
import { stream } from '../random/random.ts';
import { ranks, spearman } from './association.ts';
import { finite, notEmpty, sameLength, whole } from './inputs.ts';

/** Association of one parameter with one result over runs. */
export interface Importance {
  readonly n: number;
  /** Share of the variance of the result's ranks that the parameter explains, 0–1. */
  readonly share: number;
  /** Spearman's correlation, for a parameter of numbers. */
  readonly correlation: number | null;
  /** Share of all orders of the results in which the parameter would explain as much or more. */
  readonly p: number;
}

export interface ImportanceOptions {
  readonly seed?: number;
  /** Orders that are drawn where there are more than this many. */
  readonly orders?: number;
}

/** Rounding errors of sums of ranks do not make a difference. */
const TOLERANCE = 1e-9;

/**
 * Correlation ratio η² of values over groups: the sum of squares between the groups over the total. For ranks
 * it is the Kruskal–Wallis statistic H, corrected for ties, over n − 1.
 */
function betweenGroups(values: ArrayLike<number>, groups: readonly string[]): number {
  const mean = Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
  const found = new Map<string, { sum: number; n: number }>();
  let total = 0;
  groups.forEach((group, at) => {
    const own = found.get(group) ?? { sum: 0, n: 0 };
    found.set(group, { sum: own.sum + values[at], n: own.n + 1 });
    total += (values[at] - mean) ** 2;
  });
  let between = 0;
  for (const { sum, n } of found.values()) between += n * (sum / n - mean) ** 2;
  return between / total;
}

/** Visits all orders of `items` in place (Heap's algorithm, 1963). */
function everyOrder(items: Float64Array, visit: () => void, size = items.length): void {
  if (size <= 1) {
    visit();
    return;
  }
  for (let at = 0; at < size; at += 1) {
    everyOrder(items, visit, size - 1);
    const other = size % 2 === 0 ? at : 0;
    [items[other], items[size - 1]] = [items[size - 1], items[other]];
  }
}

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

/**
 * Importance of a parameter for a result: ρ² (Spearman) if all its values are numbers, else η² of the result's
 * ranks over the parameter's values. p is of a permutation test: exact where the results have no more orders
 * than `orders`, else (1 + hits) / (1 + orders) of seeded ones (Phipson and Smyth 2010). Null for fewer than 3
 * runs, and where the parameter or the result is constant. Throws `numeric` for results that are not finite.
 */
export const parameterImportance = (
  parameter: readonly (number | string)[],
  result: ArrayLike<number>,
  { seed = 0, orders = 10_000 }: ImportanceOptions = {},
): Importance | null => {
  sameLength(parameter, result, 'values of a parameter and of a result');
  notEmpty(parameter, 'runs');
  finite(result, 'values of a result');
  whole(orders, 'number of orders', 1);
  if (parameter.some((value) => typeof value === 'number' && !Number.isFinite(value)))
    throw new WhetstoneError('numeric', 'A value of the parameter is not finite.', { where: 'parameter' });
  const n = parameter.length;
  const numbers = parameter.every((value) => typeof value === 'number') ? parameter : null;
  const groups = parameter.map((value) => `${typeof value}:${value}`);
  const isConstant = new Set(groups).size === 1 || Array.from(result).every((value) => value === result[0]);
  if (n < 3 || isConstant) return null;
  const ranked = ranks(result);
  const rankedNumbers = numbers && ranks(numbers);
  const shareOf = (order: Float64Array): number =>
    rankedNumbers ? spearman(rankedNumbers, order) ** 2 : betweenGroups(order, groups);
  const share = shareOf(ranked);
  const order = Float64Array.from(ranked);
  const reaches = () => shareOf(order) >= share - TOLERANCE;
  let hits = 0;
  const isExact = n <= 12 && factorial(n) <= orders;
  if (isExact) everyOrder(order, () => (hits += Number(reaches())));
  else
    for (let draw = 0; draw < orders; draw += 1) {
      const random = stream(seed, 'importance', draw);
      for (let at = n - 1; at > 0; at -= 1) {
        const other = random.int(at + 1);
        [order[at], order[other]] = [order[other], order[at]];
      }
      hits += Number(reaches());
    }
  return {
    n,
    share,
    correlation: numbers && spearman(numbers, result),
    p: isExact ? hits / factorial(n) : (1 + hits) / (1 + orders),
  };
};
