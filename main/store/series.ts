/** Contiguous float64 values. */
export type Column = Float64Array<ArrayBuffer>;

/** Columns of points of one attempt. */
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

/** Sorted by step; where attempts overlap, and where one attempt says a step twice, the later word counts. */
export function latestPerStep(parts: readonly Points[], from: number, to: number): Curve {
  const newest = new Map<number, { part: Points; index: number }>();
  for (const part of parts) {
    for (const [index, step] of part.steps.entries()) {
      if (step < from || step > to) continue;
      const before = newest.get(step);
      if (!before || part.attempt >= before.part.attempt) newest.set(step, { part, index });
    }
  }
  const points = [...newest].sort(([x], [y]) => x - y);
  return {
    steps: Float64Array.from(points, ([step]) => step),
    at: Float64Array.from(points, ([, p]) => p.part.at[p.index]),
    values: Float64Array.from(points, ([, p]) => p.part.values[p.index]),
  };
}

/**
 * At most `most` points: consecutive points fall into equal buckets; a bucket shows its last point, with the minimum and maximum
 * of its finite values beside it. A bucket with any non-finite value shows that value, so that none is hidden.
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
