/** Contiguous float64 values. */
export type Column = Float64Array<ArrayBuffer>;

/** Points of one attempt, as columns. */
export interface Points {
  readonly attempt: number;
  readonly steps: Column;
  readonly at: Column;
  readonly values: Column;
}
export interface Curve {
  readonly steps: Column;
  readonly at: Column;
  readonly values: Column;
  readonly low?: Column;
  readonly high?: Column;
}

/**
 * Merges points, sorted by step; for a step that occurs more than once, the latest attempt's last point
 * counts. Uses typed arrays only, since there may be millions.
 */
export function latestPerStep(parts: readonly Points[], from: number, to: number): Curve {
  const total = parts.reduce((sum, part) => sum + part.steps.length, 0);
  const all = {
    steps: new Float64Array(total),
    at: new Float64Array(total),
    values: new Float64Array(total),
    attempts: new Float64Array(total),
  };
  let count = 0;
  let isSorted = true;
  for (const part of parts) {
    for (let i = 0; i < part.steps.length; i += 1) {
      const step = part.steps[i];
      if (step < from || step > to) continue;
      isSorted &&= count === 0 || step > all.steps[count - 1];
      [all.steps[count], all.at[count], all.values[count], all.attempts[count]] = [
        step,
        part.at[i],
        part.values[i],
        part.attempt,
      ];
      count += 1;
    }
  }
  const { steps, at, values } = all;
  if (isSorted)
    return { steps: steps.slice(0, count), at: at.slice(0, count), values: values.slice(0, count) };
  // later points sort last within a step; the last of each step is kept
  const order = Uint32Array.from({ length: count }, (_none, i) => i).sort(
    (x, y) => steps[x] - steps[y] || all.attempts[x] - all.attempts[y] || x - y,
  );
  const kept = order.filter((i, k) => k + 1 === count || steps[order[k + 1]] !== steps[i]);
  const take = (column: Column): Column => Float64Array.from(kept, (i) => column[i]);
  return { steps: take(steps), at: take(at), values: take(values) };
}

/**
 * Reduces a curve to at most `most` points in equal buckets of consecutive points: the last point of the
 * bucket, with the minimum and maximum of its finite values. A bucket with a non-finite value shows that
 * value, so that it is not hidden.
 */
export function decimate(curve: Curve, most: number): Curve {
  const n = curve.steps.length;
  if (n <= most) return curve;
  const pick = new Float64Array(most);
  const low = new Float64Array(most);
  const high = new Float64Array(most);
  for (let bucket = 0; bucket < most; bucket += 1) {
    const start = Math.floor((bucket * n) / most);
    const end = Math.floor(((bucket + 1) * n) / most);
    let [least, greatest, shown] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, end - 1];
    for (let i = start; i < end; i += 1) {
      const value = curve.values[i];
      if (Number.isFinite(value)) [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
      else shown = i;
    }
    pick[bucket] = shown;
    [low[bucket], high[bucket]] = least <= greatest ? [least, greatest] : [Number.NaN, Number.NaN];
  }
  const take = (column: Column): Column => pick.map((i) => column[i]);
  return { steps: take(curve.steps), at: take(curve.at), values: take(curve.values), low, high };
}
