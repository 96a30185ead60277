/** Reward over compute that levels off: how far a recipe can get, and how fast. */
import { WhetstoneError } from '../common/errors.ts';
import { finite, sameLength } from './inputs.ts';
import { mean } from './moments.ts';

/** R(C) = start + (ceiling − start) ⁄ (1 + (middle ⁄ C)^slope), for compute C > 0. */
export interface SaturatingCurve {
  readonly start: number;
  /** The asymptote A: what unlimited compute would reach. */
  readonly ceiling: number;
  /** Compute at which half of the gain is reached. */
  readonly middle: number;
  /** The efficiency B: a larger one rises more abruptly. */
  readonly slope: number;
}
export interface SaturatingFit extends SaturatingCurve {
  /** Root of the mean squared residual. */
  readonly error: number;
}

const share = (compute: number, middle: number, slope: number): number =>
  1 / (1 + Math.exp(slope * (Math.log(middle) - Math.log(compute))));

/** The curve's reward at a compute above 0. */
export const saturatingAt = ({ start, ceiling, middle, slope }: SaturatingCurve, compute: number): number => {
  finite([start, ceiling, middle, slope, compute], 'the curve and its compute');
  return start + (ceiling - start) * share(compute, middle, slope);
};

/** Least squares of start and ceiling for a given shape. */
const fitted = (
  x: readonly number[],
  y: readonly number[],
  middle: number,
  slope: number,
): SaturatingFit | undefined => {
  const s = x.map((compute) => share(compute, middle, slope));
  const [ms, my] = [mean(s), mean(y)];
  const variance = mean(s.map((value) => (value - ms) ** 2));
  if (variance < 1e-9) return undefined;
  const gain = mean(s.map((value, i) => (value - ms) * (y[i] - my))) / variance;
  const start = my - gain * ms;
  const error = Math.sqrt(mean(s.map((value, i) => (start + gain * value - y[i]) ** 2)));
  return { start, ceiling: start + gain, middle, slope, error };
};

const GRID = 24;

/**
 * Fits R(C) by least squares (Khatri et al. 2025, arXiv:2510.13786, equation 1, with the start fitted as well):
 * a grid over the logarithm of the middle, from the first compute to ten times the last, and of the slope, from
 * ⅓ to 8, refined around its best point. Among equals the nearest middle is taken. Throws `invalid-input` for
 * fewer than five points, or compute that is not above 0.
 */
export const fitSaturating = (compute: readonly number[], reward: readonly number[]): SaturatingFit => {
  sameLength(compute, reward, 'compute and reward');
  finite(compute, 'compute');
  finite(reward, 'rewards');
  if (compute.length < 5 || compute.some((value) => value <= 0))
    throw new WhetstoneError(
      'invalid-input',
      'A curve needs five points or more, each at a compute above 0.',
      {
        where: 'compute',
        hint: 'Evaluate the run more often: evaluation.every.',
      },
    );
  let [middles, slopes] = [
    [Math.log(Math.min(...compute)), Math.log(10 * Math.max(...compute))],
    [Math.log(1 / 3), Math.log(8)],
  ];
  let best: SaturatingFit | undefined;
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i <= GRID; i++)
      for (let j = 0; j <= GRID; j++) {
        const [m, s] = [between(middles, i), between(slopes, j)];
        const fit = fitted(compute, reward, Math.exp(m), Math.exp(s));
        if (fit && fit.error < (best?.error ?? Infinity) - 1e-12) best = fit;
      }
    if (!best) break;
    middles = around(middles, Math.log(best.middle));
    slopes = around(slopes, Math.log(best.slope));
  }
  if (best) return best;
  const level = mean(reward);
  return { start: level, ceiling: level, middle: compute[0], slope: 1, error: 0 };
};

const between = ([low, high]: readonly number[], at: number): number => low + ((high - low) * at) / GRID;
/** A range of two steps of the grid on either side. */
const around = ([low, high]: readonly number[], at: number): number[] => {
  const reach = (2 * (high - low)) / GRID;
  return [Math.max(low, at - reach), Math.min(high, at + reach)];
};
