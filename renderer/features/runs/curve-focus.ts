/** A part of one curve that an address names: `?curve=kl&from=20&to=60`. */
export interface CurveFocus {
  /** The metric, and its name where several roles share it. */
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** The part that a query names; null for one without a curve or with steps that are no numbers. */
export function focusIn({
  curve,
  from,
  to,
}: Readonly<Record<string, string | undefined>>): CurveFocus | null {
  const ends = [Number(from ?? Number.NaN), Number(to ?? Number.NaN)];
  if (!curve || ends.some((end) => !Number.isFinite(end)) || ends[1] < ends[0]) return null;
  return { names: [curve, `policy/${curve}`], from: ends[0], to: ends[1] };
}

/** The part with half its width, and at least ten steps, around it, within the whole curve. */
export function focusedRange(
  { from, to }: CurveFocus,
  [first, last]: readonly [number, number],
): [number, number] {
  const around = Math.max(10, (to - from) / 2);
  const range: [number, number] = [Math.max(first, from - around), Math.min(last, to + around)];
  return range[0] < range[1] ? range : [first, last];
}
