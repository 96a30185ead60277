import { mean, quantile, variance } from '../../evaluate/index.ts';

/** Points of a metric by step, possibly one per bucket with the bucket's range. */
export interface StoredCurve {
  readonly name: string;
  readonly steps: Float64Array;
  readonly values: Float64Array;
  readonly low?: Float64Array;
  readonly high?: Float64Array;
}

export interface Point {
  readonly step: number;
  readonly value: number;
}

/** Mean of some points with its standard error, and the steps that they cover. */
export interface Window {
  readonly mean: number;
  /** Standard error of the mean; 0 for one point. */
  readonly error: number;
  readonly from: number;
  readonly to: number;
  readonly n: number;
}

/** Fewest points of a curve from which a trend is read. */
export const fewest = 10;
/** Share of a curve that its beginning and its end are. */
const endShare = 0.2;

/** A metric's curve. Non-finite points are kept apart from the finite ones that windows are taken of. */
export class Curve {
  readonly name: string;
  readonly points: readonly Point[];
  /** Largest value of each point's bucket; the values themselves where nothing was left out. */
  readonly highs: readonly Point[];
  readonly notFinite: readonly Point[];
  readonly lastStep: number;

  constructor({ name, steps, values, high }: StoredCurve) {
    this.name = name;
    const all = [...steps].map((step, i) => ({ step, value: values[i] }));
    this.points = all.filter(({ value }) => Number.isFinite(value));
    this.notFinite = all.filter(({ value }) => !Number.isFinite(value));
    this.highs = high
      ? all.map(({ step }, i) => ({ step, value: high[i] })).filter(({ value }) => Number.isFinite(value))
      : this.points;
    this.lastStep = all.at(-1)?.step ?? 0;
  }

  /** True if it has enough points for a trend. */
  get isLong(): boolean {
    return this.points.length >= fewest;
  }

  /** The first fifth of its points, at least five; null for a curve of fewer than `fewest`. */
  get first(): Window | null {
    return this.isLong ? windowOf(this.points.slice(0, this.#ends)) : null;
  }

  /** The last fifth of its points, at least five; null for a curve of fewer than `fewest`. */
  get last(): Window | null {
    return this.isLong ? windowOf(this.points.slice(-this.#ends)) : null;
  }

  get #ends(): number {
    return Math.max(fewest / 2, Math.floor(endShare * this.points.length));
  }

  /**
   * The step from which on a running mean of five points stays on one side until the end; the last step if it
   * does not.
   */
  since(holds: (value: number) => boolean): number {
    const width = Math.min(5, this.points.length);
    let began = this.points.at(-1)?.step ?? 0;
    for (let end = this.points.length; end >= width && width > 0; end -= 1) {
      const window = this.points.slice(end - width, end);
      if (!holds(mean(window.map(({ value }) => value)))) return began;
      // while the run is whole, the window's last point is the first at which the mean is known
      began = end === width ? window[0].step : window[width - 1].step;
    }
    return began;
  }

  /** Quantile of its finite values; NaN without any. */
  quantile(q: number): number {
    return this.points.length === 0
      ? Number.NaN
      : quantile(
          this.points.map(({ value }) => value),
          q,
        );
  }
}

/** Mean and standard error of points; there is at least one. */
export const windowOf = (points: readonly Point[]): Window => {
  const values = points.map(({ value }) => value);
  return {
    mean: mean(values),
    error: values.length > 1 ? Math.sqrt(variance(values) / values.length) : 0,
    from: points[0].step,
    to: points[points.length - 1].step,
    n: points.length,
  };
};

/**
 * The later window's mean minus the earlier one's, in standard errors of the difference (Welch's statistic);
 * ±∞ if neither varies and they differ, 0 if they are equal.
 */
export const change = (earlier: Window, later: Window): number => {
  const difference = later.mean - earlier.mean;
  return difference === 0 ? 0 : difference / Math.hypot(earlier.error, later.error);
};
