import type { Series } from '../../../preload/contract/runs.ts';
import type { Line } from '../../charts/series.ts';
import { beginning } from '../../charts/zoom.ts';

/** Horizontal axis of the curves: the value of each step, in order of steps. */
export interface Along {
  readonly steps: Float64Array;
  readonly at: Float64Array;
}

export const axes = {
  step: { title: 'step', needs: [] },
  tokens: { title: 'tokens', needs: ['tokens_per_second', 'seconds/step'] },
  time: { title: 'seconds', needs: [] },
  kl: { title: 'KL, nats', needs: ['kl'] },
} as const satisfies Record<string, { title: string; needs: readonly string[] }>;
export type Axis = keyof typeof axes;
export const isAxis = (text: string | undefined): text is Axis =>
  text !== undefined && Object.hasOwn(axes, text);

/**
 * The x of a run's steps: wall time since its first point, tokens as the running sum of tokens per second ×
 * seconds per step, or KL. Null if the run lacks what that needs. Time and tokens begin at the first step of the
 * first bucket, at its estimated time, where points are joined to buckets.
 */
export function alongOf(axis: Exclude<Axis, 'step'>, own: readonly Series[]): Along | null {
  const named = (name: string) => own.find((series) => series.name === name && series.steps.length > 0);
  if (axis === 'time') {
    const longest = own.toSorted((a, b) => b.steps.length - a.steps.length).at(0);
    if (!longest?.steps.length) return null;
    const from = beginning(longest);
    const [first, second] = longest.at;
    const early =
      from < longest.steps[0]
        ? ((second - first) * (longest.steps[0] - from)) / (longest.steps[1] - longest.steps[0])
        : 0;
    const start = own.reduce((least, { at }) => Math.min(least, at.at(0) ?? Infinity), Infinity) - early;
    const at = longest.at.map((time) => (time - start) / 1000);
    return from < longest.steps[0] ? begun(from, { steps: longest.steps, at }) : { steps: longest.steps, at };
  }
  if (axis === 'kl') {
    const kl = named('kl');
    return kl ? { steps: kl.steps, at: kl.values } : null;
  }
  const [speed, time] = [named('tokens_per_second'), named('seconds/step')];
  if (!speed || !time) return null;
  const seconds = interpolated({ steps: time.steps, at: time.values }, speed.steps);
  const from = beginning(speed);
  let total = 0;
  const at = speed.values.map((tokensPerSecond, i) => {
    const passed = i === 0 ? Math.max(1, speed.steps[0] - from) : speed.steps[i] - speed.steps[i - 1];
    const tokens = tokensPerSecond * seconds[i] * passed;
    if (Number.isFinite(tokens)) total += tokens;
    return total;
  });
  return from < speed.steps[0] ? begun(from, { steps: speed.steps, at }) : { steps: speed.steps, at };
}

/** The same with an x of 0 at an earlier step. */
const begun = (from: number, { steps, at }: Along): Along => ({
  steps: Float64Array.of(from, ...steps),
  at: Float64Array.of(0, ...at),
});

/** Values at `steps` by linear interpolation; NaN outside the known steps and between values that are not finite. */
export function interpolated({ steps: known, at }: Along, steps: Float64Array): Float64Array {
  let place = 0;
  return steps.map((step) => {
    while (place + 1 < known.length && known[place + 1] <= step) place += 1;
    if (known.length === 0 || step < known[0]) return Number.NaN;
    if (known[place] === step) return at[place];
    if (place + 1 >= known.length) return Number.NaN;
    const share = (step - known[place]) / (known[place + 1] - known[place]);
    return at[place] + share * (at[place + 1] - at[place]);
  });
}

/** The line along another x: points without one are left out, and points are in the order of x. */
export function lineAlong(line: Line, along: Along): Line {
  const x = interpolated(along, line.steps);
  const order = Uint32Array.from(x.keys()).filter((i) => Number.isFinite(x[i]));
  if (order.some((i, at) => at > 0 && x[i] < x[order[at - 1]])) order.sort((i, j) => x[i] - x[j] || i - j);
  const take = (values: Float64Array) => Float64Array.from(order, (i) => values[i]);
  return {
    ...line,
    steps: take(x),
    values: take(line.values),
    ...(line.low && { low: take(line.low) }),
    ...(line.high && { high: take(line.high) }),
  };
}

/**
 * The lines of several seeds as their mean with a band from the least to the greatest: at every x of any of
 * them that all of them reach, by linear interpolation. One line stays as it is; both say n.
 */
export function bandOf(lines: readonly Line[], name: string): Line {
  const [first, ...others] = lines;
  const label = `${name}, n = ${lines.length}`;
  if (others.length === 0) return { ...first, label };
  const grid = Float64Array.from(new Set(lines.flatMap(({ steps }) => [...steps]))).sort();
  const table = lines.map(({ steps, values, low = values, high = values }) => ({
    values: interpolated({ steps, at: values }, grid),
    low: interpolated({ steps, at: low }, grid),
    high: interpolated({ steps, at: high }, grid),
    isInside: (x: number) => x >= steps[0] && x <= steps[steps.length - 1],
  }));
  const kept = Uint32Array.from(grid.keys()).filter((i) => table.every(({ isInside }) => isInside(grid[i])));
  const over = (combine: (values: number[]) => number, of: 'values' | 'low' | 'high') =>
    Float64Array.from(kept, (i) => combine(table.map((each) => each[of][i])));
  return {
    ...first,
    label,
    steps: Float64Array.from(kept, (i) => grid[i]),
    values: over((values) => values.reduce((sum, value) => sum + value, 0) / values.length, 'values'),
    low: over((values) => Math.min(...values), 'low'),
    high: over((values) => Math.max(...values), 'high'),
  };
}
