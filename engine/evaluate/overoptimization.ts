/**
 * Gold reward as optimization pressure on a proxy grows: Gao, Schulman and Hilton, "Scaling laws for reward model
 * overoptimization" (2022), with d = √KL(policy ‖ initial policy).
 */
import { WhetstoneError } from '../common/errors.ts';
import type { Interval } from '../schema/evaluation.ts';
import { finite, notEmpty, notNegative, sameLength, whole } from './inputs.ts';
import { bootstrap, type BootstrapOptions } from './intervals.ts';
import { mean } from './moments.ts';
import { bestOfNKl } from './sampling.ts';

/** `best-of-n`: R = d (α − β d), section 3.1, eq. 1. `rl`: R = d (α − β ln d), eq. 2. */
export type PressureForm = 'best-of-n' | 'rl';

export interface PressureCoefficients {
  readonly alpha: number;
  readonly beta: number;
}

/** A fitted curve of the gain in gold reward over d. */
export interface PressureFit extends PressureCoefficients {
  readonly form: PressureForm;
  readonly alphaInterval: Interval;
  readonly betaInterval: Interval;
  /** The maximum of the curve, with an interval of its place; null if it never turns down. */
  readonly peak: {
    readonly distance: number;
    readonly gain: number;
    /** The upper end is null if the data allow that the curve never turns down. */
    readonly interval: [number, number | null];
  } | null;
}

const slopes = { 'best-of-n': (d: number) => d, rl: Math.log } as const;

/** The curve's gain at d ≥ 0; 0 at d = 0. */
export const pressureGain = (
  form: PressureForm,
  { alpha, beta }: PressureCoefficients,
  d: number,
): number => {
  notNegative([d], 'distances from the initial policy');
  finite([alpha, beta], 'coefficients');
  return d === 0 ? 0 : d * (alpha - beta * slopes[form](d));
};

/**
 * The d at which the curve is highest: α ∕ 2β for best-of-n, exp(α ∕ β − 1) for RL; infinite if it rises for
 * ever, 0 if it only falls.
 */
export const pressurePeak = (form: PressureForm, { alpha, beta }: PressureCoefficients): number => {
  finite([alpha, beta], 'coefficients');
  if (beta <= 0) return alpha > 0 || (form === 'rl' && beta < 0) ? Infinity : 0;
  return form === 'best-of-n' ? Math.max(0, alpha / (2 * beta)) : Math.exp(alpha / beta - 1);
};

/** Least squares of gains on d and −d · slope(d), without an intercept; null if they cannot be told apart. */
function leastSquares(
  form: PressureForm,
  distances: readonly number[],
  gains: ArrayLike<number>,
): PressureCoefficients | null {
  let [uu, uv, vv, uy, vy] = [0, 0, 0, 0, 0];
  distances.forEach((d, at) => {
    if (d === 0) return;
    const v = -d * slopes[form](d);
    uu += d * d;
    uv += d * v;
    vv += v * v;
    uy += d * gains[at];
    vy += v * gains[at];
  });
  const determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-12 * uu * vv)) return null;
  return { alpha: (vv * uy - uv * vy) / determinant, beta: (uu * vy - uv * uy) / determinant };
}

/**
 * Fits the curve to gains over the initial policy, by problem: `gains_PD[p][i]` is problem p's gain at
 * `distances[i]`. Intervals (95 %) resample problems, since the points share them. Null for fewer than three
 * distinct distances above 0.
 */
export const pressureFit = (
  form: PressureForm,
  distances: readonly number[],
  gains_PD: readonly (readonly number[])[],
  options?: BootstrapOptions,
): PressureFit | null => {
  notNegative(distances, 'distances from the initial policy');
  notEmpty(gains_PD, 'problems');
  for (const gains of gains_PD) {
    sameLength(distances, gains, 'distances and gains');
    finite(gains, 'gains');
  }
  if (new Set(distances.filter((d) => d > 0)).size < 3) return null;
  const meansOf = (picked: ArrayLike<number>) =>
    distances.map((_d, i) => mean(Array.from(picked, (p) => gains_PD[p][i])));
  const own = leastSquares(form, distances, meansOf(gains_PD.map((_gains, p) => p)));
  if (!own) return null;
  const intervalOf = (statistic: (fit: PressureCoefficients) => number): Interval =>
    bootstrap(gains_PD.length, (picked) => statistic(leastSquares(form, distances, meansOf(picked)) ?? own), {
      replicates: 1000,
      ...options,
    });
  const distance = pressurePeak(form, own);
  // infinite peaks rank last, and cannot be interpolated
  const [low, high] = intervalOf((fit) => Math.min(pressurePeak(form, fit), Number.MAX_VALUE));
  return {
    form,
    ...own,
    alphaInterval: intervalOf(({ alpha }) => alpha),
    betaInterval: intervalOf(({ beta }) => beta),
    peak:
      Number.isFinite(distance) && distance > 0
        ? {
            distance,
            gain: pressureGain(form, own, distance),
            interval: [low, high > 1e6 * distance ? null : high],
          }
        : null,
  };
};

/** Answers to one problem, scored by a proxy and by gold. */
export interface ProxyAnswers {
  readonly proxy: readonly number[];
  readonly gold: readonly number[];
}

export interface BestOfN {
  readonly n: number;
  /** KL(best of n ‖ policy) in nats. */
  readonly kl: number;
  /** Expected scores of the pick, one per problem. */
  readonly gold: readonly number[];
  readonly proxy: readonly number[];
}

/**
 * Expected gold and proxy of the best of n answers by the proxy, for each problem, unbiased over the subsets of
 * its answers (Nakano et al., WebGPT, 2021, appendix I): with ranks i from the lowest of N, Σᵢ C(i−1, n−1) ∕
 * C(N, n) · scoreᵢ. Equal proxies share the mean of their gold. Every problem needs at least the largest n
 * answers.
 */
export const bestOfN = (problems: readonly ProxyAnswers[], ns: readonly number[]): BestOfN[] => {
  notEmpty(problems, 'problems');
  notEmpty(ns, 'sizes of best-of-n');
  for (const n of ns) whole(n, 'n of best-of-n', 1);
  const most = Math.max(...ns);
  const ranked = problems.map(({ proxy, gold }) => {
    sameLength(proxy, gold, 'proxy and gold scores');
    finite(proxy, 'proxy scores');
    finite(gold, 'gold scores');
    if (proxy.length < most)
      throw new WhetstoneError(
        'invalid-input',
        `The best of ${most} needs ${most} answers, not ${proxy.length}.`,
      );
    return rankedByProxy(proxy, gold);
  });
  return ns.map((n) => {
    const picks = ranked.map(({ proxy, gold }) => {
      const weights = weightsOf(n, proxy.length);
      const expected = (scores: readonly number[]) =>
        scores.reduce((sum, score, at) => sum + weights[at] * score, 0);
      return { gold: expected(gold), proxy: expected(proxy) };
    });
    return {
      n,
      kl: bestOfNKl(n),
      gold: picks.map(({ gold }) => gold),
      proxy: picks.map(({ proxy }) => proxy),
    };
  });
};

/** Scores from the lowest proxy up; the gold of equal proxies is their mean. */
function rankedByProxy(proxy: readonly number[], gold: readonly number[]): ProxyAnswers {
  const groups = Map.groupBy(
    proxy.map((_score, at) => at).sort((a, b) => proxy[a] - proxy[b]),
    (at) => proxy[at],
  );
  const equal = [...groups.values()];
  return {
    proxy: equal.flatMap((group) => group.map((at) => proxy[at])),
    gold: equal.flatMap((group) => {
      const shared = mean(group.map((at) => gold[at]));
      return group.map(() => shared);
    }),
  };
}

/** Probability that the i-th lowest of N is the highest of n drawn without replacement. */
function weightsOf(n: number, total: number): readonly number[] {
  const weights = new Array<number>(total).fill(0);
  // from the top: C(N−1, n−1) ∕ C(N, n) = n ∕ N, and each step down multiplies by (i − n) ∕ (i − 1)
  let weight = n / total;
  for (let i = total; i >= n; i--) {
    weights[i - 1] = weight;
    weight *= i > 1 ? (i - n) / (i - 1) : 0;
  }
  return weights;
}
