import type { Series } from '../../preload/contract/runs.ts';
import type { RunMark } from '../lib/run-colors.svelte.ts';

/** One drawn line: points of one metric of one run. */
export interface Line {
  readonly id: string;
  readonly label: string;
  readonly mark: RunMark;
  readonly steps: Float64Array;
  readonly values: Float64Array;
  readonly low?: Float64Array;
  readonly high?: Float64Array;
}

export const lineOf = (series: Series, label: string, mark: RunMark): Line => ({
  id: `${series.runId}/${series.name}`,
  label,
  mark,
  steps: series.steps,
  values: series.values,
  low: series.low,
  high: series.high,
});

/**
 * Exponential moving average that starts from the first finite value; non-finite values stay and are not
 * averaged in. `keep` in [0, 1).
 */
export function smooth(values: Float64Array, keep: number): Float64Array {
  const out = new Float64Array(values.length);
  let [mean, weight] = [0, 0];
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) {
      out[index] = value;
      return;
    }
    mean = keep * mean + (1 - keep) * value;
    weight = keep * weight + (1 - keep);
    out[index] = mean / weight;
  });
  return out;
}

/** Steps at which a line has a non-finite value. */
export const notFinite = (line: { steps: Float64Array; values: Float64Array }): number[] =>
  Array.from(line.steps.filter((_, index) => !Number.isFinite(line.values[index])));

/** The data of a chart as comma-separated values, one row per step (or per point along another x). */
export function toCsv(lines: readonly Line[], x = 'step'): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = lines.flatMap(({ label, steps, values }) =>
    [...steps].map((step, index) => `${cell(label)},${step},${values[index]}`),
  );
  return [`series,${cell(x)},value`, ...rows].join('\n');
}
