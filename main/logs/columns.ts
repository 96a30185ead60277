import type { LogPoints } from '../store/imported/points.ts';
import { Names } from './names.ts';
import type { Damage, LogSink } from './readers/reader.ts';
import type { ToolId } from '../../preload/contract/logs.ts';

/** Points of a series that make a chunk of the store, and points of all series after which all are handed on. */
const most = { ofSeries: 4096, ofAll: 400_000, series: 5000 };

/** Points of one series that have not been handed on. */
class Tail {
  count = 0;
  steps = new Float64Array(16);
  at = new Float64Array(16);
  values = new Float64Array(16);
  /** The step before, to count repeated ones. */
  last = Number.NEGATIVE_INFINITY;

  add(step: number, at: number, value: number): void {
    if (this.count === this.steps.length) this.#grow();
    this.steps[this.count] = step;
    this.at[this.count] = at;
    this.values[this.count] = value;
    this.count += 1;
  }

  taken(name: string): LogPoints {
    const [steps, at, values] = [this.steps, this.at, this.values].map((all) => all.slice(0, this.count));
    this.count = 0;
    return { name, steps, at, values };
  }

  #grow(): void {
    const larger = (all: Float64Array<ArrayBuffer>) => {
      const grown = new Float64Array(2 * all.length);
      grown.set(all);
      return grown;
    };
    [this.steps, this.at, this.values] = [larger(this.steps), larger(this.at), larger(this.values)];
  }
}

/** Contents of a run's log other than its points. */
export interface LogFacts {
  readonly name: string;
  readonly config: { readonly [name: string]: unknown };
  readonly points: number;
  readonly repeated: number;
  readonly skipped: readonly { readonly what: string; readonly count: number }[];
  readonly damage: string | null;
  readonly renamed: { readonly [name: string]: string };
  readonly lastStep: number;
  readonly totalSteps: number | null;
  /** UTC epoch milliseconds of the first and last point; null where no point has a time. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The first training metric that is not finite. */
  readonly notFinite: { readonly metric: string; readonly step: number } | null;
}

/** Collects one run's points as columns under the names here, in bounded memory, and all other facts. */
export class Columns implements LogSink {
  readonly #names: Names;
  readonly #tails = new Map<string, Tail>();
  readonly #hand: (points: LogPoints) => void;
  readonly #skipped = new Map<string, number>();
  readonly #config: Record<string, unknown> = {};
  #name = '';
  #damage: string | null = null;
  #waiting = 0;
  #points = 0;
  #repeated = 0;
  #lastStep = 0;
  #totalSteps: number | null = null;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #notFinite: LogFacts['notFinite'] = null;

  constructor(tool: ToolId, hand: (points: LogPoints) => void) {
    this.#names = new Names(tool);
    this.#hand = hand;
  }

  point(log: string, step: number, at: number, value: number): void {
    if (step < 0) return this.skipped('points at negative steps');
    const name = this.#names.of(log);
    let tail = this.#tails.get(name);
    if (!tail) {
      if (this.#tails.size >= most.series)
        return this.skipped(`points of metrics beyond the first ${most.series}`);
      this.#tails.set(name, (tail = new Tail()));
    }
    if (step <= tail.last) this.#repeated += 1;
    tail.last = Math.max(tail.last, step);
    tail.add(step, at, value);
    this.#points += 1;
    this.#waiting += 1;
    if (step > this.#lastStep) this.#lastStep = step;
    if (at < this.#from) this.#from = at;
    if (at > this.#to) this.#to = at;
    if (!Number.isFinite(value) && !name.startsWith('eval/')) this.#notFinite ??= { metric: name, step };
    if (tail.count >= most.ofSeries) this.#handOn(name, tail);
    else if (this.#waiting >= most.ofAll) this.flush();
  }

  config(values: { readonly [name: string]: unknown }): void {
    Object.assign(this.#config, values);
  }

  called(name: string): void {
    this.#name = name;
  }

  skipped(what: string): void {
    this.#skipped.set(what, (this.#skipped.get(what) ?? 0) + 1);
  }

  damaged({ path, at, reason }: Damage): void {
    this.#damage ??= `${path}, ${at}: ${reason}. Nothing behind it was read.`;
  }

  planned(steps: number): void {
    this.#totalSteps = steps;
  }

  /** Hands on all points. */
  flush(): void {
    for (const [name, tail] of this.#tails) if (tail.count > 0) this.#handOn(name, tail);
  }

  get facts(): LogFacts {
    return {
      name: this.#name,
      config: this.#config,
      points: this.#points,
      repeated: this.#repeated,
      skipped: [...this.#skipped].map(([what, count]) => ({ what, count })),
      damage: this.#damage,
      renamed: this.#names.renamed,
      lastStep: this.#lastStep,
      totalSteps: this.#totalSteps,
      startedAt: Number.isFinite(this.#from) ? Math.round(this.#from) : null,
      endedAt: Number.isFinite(this.#to) ? Math.round(this.#to) : null,
      notFinite: this.#notFinite,
    };
  }

  #handOn(name: string, tail: Tail): void {
    this.#waiting -= tail.count;
    this.#hand(tail.taken(name));
  }
}
