import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Run, Series } from '../../../preload/contract/runs.ts';

/** Largest number of metrics per request. */
const NAMES_AT_ONCE = 64;
/** A series with more points than this is read again completely, and returned downsampled. */
const MOST_POINTS = 4000;

/** The attempt and step of a run at the time of the last request; later points may not have been read. */
type Read = Pick<Run, 'attempt' | 'step'>;

/** Reads the curves of one run: completely at first, then from the first step that may have new points. */
export class SeriesReader {
  private known: readonly Series[] = [];
  private last: Read | null = null;
  /** The run when its attempt was first seen: its step may still be that of the attempt before. */
  private first: Read | null = null;
  private readonly runId: string;
  private readonly port: Pick<WhetstoneClient['runs'], 'metricNames' | 'metrics'>;

  constructor(runId: string, port: Pick<WhetstoneClient['runs'], 'metricNames' | 'metrics'>) {
    this.runId = runId;
    this.port = port;
  }

  /** All points of all metrics, by name. Takes attempt and step of the run as last reported. */
  async read({ attempt, step }: Read): Promise<readonly Series[]> {
    const from = this.firstStep({ attempt, step });
    const names = await this.port.metricNames({ runIds: [this.runId] });
    const before = new Map(
      (from === 0 ? [] : this.known).map((series) => [
        series.name,
        { series, start: replacedFrom(series, from) },
      ]),
    );
    const least = [...before.values()].reduce((least, { start }) => Math.min(least, start), from);
    const [tails, whole] = await Promise.all([
      this.fetch(
        names.filter((name) => before.has(name)),
        { from: least },
      ),
      this.fetch(
        names.filter((name) => !before.has(name)),
        { from: 0 },
      ),
    ]);
    const tailOf = new Map(tails.map((series) => [series.name, series]));
    const fresh = new Map(whole.map((series) => [series.name, series]));
    this.known = names.flatMap((name) => {
      const older = before.get(name);
      return older ? [continued(older.series, tailOf.get(name), older.start)] : (fresh.get(name) ?? []);
    });
    if (this.first?.attempt !== attempt) this.first = { attempt, step };
    const isStale = attempt > 1 && step === this.first.step;
    this.last = { attempt, step: isStale ? 0 : step };
    return this.known;
  }

  /** The known metrics in a part of the steps, with at most so many points each. */
  window(from: number, to: number, points: number): Promise<readonly Series[]> {
    return this.fetch(
      this.known.map(({ name }) => name),
      { from, to, points },
    );
  }

  /** The first step whose points may have changed; 0: all of them. */
  private firstStep({ attempt, step }: Read): number {
    const { last } = this;
    // a new attempt repeats steps
    if (last?.attempt !== attempt || step < last.step) return 0;
    return this.known.some(({ steps }) => steps.length > MOST_POINTS) ? 0 : last.step;
  }

  private async fetch(
    names: readonly string[],
    part: { readonly from: number; readonly to?: number; readonly points?: number },
  ): Promise<readonly Series[]> {
    const parts = Array.from({ length: Math.ceil(names.length / NAMES_AT_ONCE) }, (_, part) =>
      names.slice(part * NAMES_AT_ONCE, (part + 1) * NAMES_AT_ONCE),
    );
    return (
      await Promise.all(
        parts.map((some) => this.port.metrics({ runIds: [this.runId], names: some, ...part })),
      )
    ).flat();
  }
}

/** Number of ascending steps below `from`. */
function countBefore(steps: Float64Array, from: number): number {
  let count = steps.length;
  while (count > 0 && steps[count - 1] >= from) count--;
  return count;
}

/**
 * The first step of a series to replace: `from`, or shortly before in a downsampled series, because its last
 * point before `from` covers several steps and shows the last of them.
 */
const replacedFrom = ({ steps, low }: Series, from: number): number =>
  low ? (steps[countBefore(steps, from) - 1] ?? -1) + 1 : from;

const joined = (head: Float64Array, kept: number, tail: Float64Array) => {
  const all = new Float64Array(kept + tail.length);
  all.set(head.subarray(0, kept));
  all.set(tail, kept);
  return all;
};
/** Bounds of points that were not downsampled: their own values. */
const ownRange = (values: Float64Array): Float64Array =>
  values.map((v) => (Number.isFinite(v) ? v : Number.NaN));

/** A series whose points from the step `start` on are replaced by those of `tail`. */
function continued(older: Series, tail: Series | undefined, start: number): Series {
  const kept = countBefore(older.steps, start);
  const skipped = tail ? countBefore(tail.steps, start) : 0;
  const none = new Float64Array();
  const join = (column: 'steps' | 'values' | 'at') =>
    joined(older[column], kept, tail?.[column].subarray(skipped) ?? none);
  const range = (bound: 'low' | 'high') =>
    joined(
      older[bound] ?? ownRange(older.values),
      kept,
      tail ? (tail[bound] ?? ownRange(tail.values)).subarray(skipped) : none,
    );
  return {
    runId: older.runId,
    name: older.name,
    steps: join('steps'),
    values: join('values'),
    at: join('at'),
    ...((older.low ?? tail?.low) && { low: range('low'), high: range('high') }),
  };
}
