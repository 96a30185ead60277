/** Mean and deviation of all values so far, as plain data for a stage's memory. */
export interface Running {
  readonly count: number;
  readonly mean: number;
  /** Sum of squared differences from the mean. */
  readonly squares: number;
}

export const nothingSeen: Running = { count: 0, mean: 0, squares: 0 };

/** With more values (Chan, Golub and LeVeque 1979, eq. 2.1). */
export const withValues = (seen: Running, values: ArrayLike<number>): Running => {
  if (values.length === 0) return seen;
  const all = Array.from(values);
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  const squares = all.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const count = seen.count + all.length;
  const apart = mean - seen.mean;
  return {
    count,
    mean: seen.mean + (apart * all.length) / count,
    squares: seen.squares + squares + (apart * apart * seen.count * all.length) / count,
  };
};

/** Standard deviation, with a little more so that it can be divided by. */
export const deviationOf = ({ count, squares }: Running): number =>
  Math.sqrt(squares / Math.max(count, 1)) + 1e-8;
