import type { Run, Series } from '../../../preload/contract/runs.ts';

/** One run's curves, in windows of ascending steps that each fit into memory. */
export interface RunCurves {
  readonly run: Run;
  /** A name for files and folders, which no other exported run has. */
  readonly fileName: string;
  readonly config: unknown;
  windows(): AsyncIterable<readonly Series[]>;
}

export type Chunks = AsyncIterable<string | Uint8Array>;

/** Writes curves in one format: all runs as one file, or a file per run in a folder. */
export interface CurveWriter {
  file?(runs: readonly RunCurves[], metrics: readonly string[]): Chunks;
  /** `path`: relative to the folder of the export. */
  ofRun?(run: RunCurves): { readonly path: string; readonly chunks: Chunks };
}

/** Steps of a window, ascending, with the point of each series there: `at(series, row)` is its place, -1 for none. */
export function* rowsOf(
  window: readonly Series[],
): Generator<{ readonly step: number; readonly places: readonly number[] }> {
  const next = window.map(() => 0);
  for (;;) {
    const step = window.reduce(
      (least, { steps }, i) => (next[i] < steps.length ? Math.min(least, steps[next[i]]) : least),
      Number.POSITIVE_INFINITY,
    );
    if (step === Number.POSITIVE_INFINITY) return;
    const places = window.map(({ steps }, i) => (steps[next[i]] === step ? next[i]++ : -1));
    yield { step, places };
  }
}

/** Bytes or characters that are handed on at once. */
export const CHUNK = 65_536;

/** A number as text that reads as the same one: negative zero, NaN and the infinities included. */
export const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));
