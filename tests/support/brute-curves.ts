import type { Curve } from '../../main/store/series.ts';

/** One point as it was recorded. */
export interface Recorded {
  readonly attempt: number;
  readonly step: number;
  readonly value: number;
}
export interface BruteBucket {
  readonly step: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The answer to a request for a curve by its definition, point by point: the latest attempt's last point of each
 * step; all of the window if they are few enough; else buckets of the finest power of two of which enough cover
 * the window.
 */
export function bruteCurve(
  recorded: readonly Recorded[],
  from: number,
  to: number,
  most: number,
): BruteBucket[] {
  const latest = new Map<number, Recorded>();
  for (const point of recorded) {
    const known = latest.get(point.step);
    if (!known || point.attempt >= known.attempt) latest.set(point.step, point);
  }
  const points = [...latest.values()].sort((x, y) => x.step - y.step);
  const inside = points.filter(({ step }) => step >= from && step <= to);
  const single = ({ step, value }: Recorded): BruteBucket => ({
    step,
    value,
    low: Number.NaN,
    high: Number.NaN,
  });
  if (inside.length <= most) return inside.map(single);
  const [start, last] = [Math.max(from, points[0].step), Math.min(to, points[points.length - 1].step)];
  let width = 2 ** -20;
  const of = (step: number): number => Math.floor(step / width);
  while (of(last) - of(start) + 1 > most) width *= 2;
  const [first, end] = [of(start), of(last)];
  const groups = Map.groupBy(
    points.filter(({ step }) => of(step) >= first && of(step) <= end),
    ({ step }) => of(step),
  );
  return [...groups.values()].map((own) => {
    const shown = own.findLast(({ value }) => !Number.isFinite(value)) ?? own[own.length - 1];
    const finite = own.map(({ value }) => value).filter(Number.isFinite);
    return {
      step: shown.step,
      value: shown.value,
      low: finite.length ? Math.min(...finite) : Number.NaN,
      high: finite.length ? Math.max(...finite) : Number.NaN,
    };
  });
}

/** A curve as such buckets. */
export const asBuckets = ({ steps, values, low, high }: Omit<Curve, 'at'>): BruteBucket[] =>
  Array.from(steps, (step, i) => ({
    step,
    value: values[i],
    low: low?.[i] ?? Number.NaN,
    high: high?.[i] ?? Number.NaN,
  }));
