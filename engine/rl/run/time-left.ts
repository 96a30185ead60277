/**
 * How long the rest of a run takes: its steps, and the evaluations and saving between and behind them, each
 * measured as it happens.
 */

/** What a run does beside its steps. */
export type Pausing = 'evaluating' | 'saving';

export interface Plan {
  readonly steps: number;
  /** Steps between two of a kind; 0: at the end alone. */
  readonly every: Readonly<Record<Pausing, number>>;
  /** Whether there is any of the kind. */
  readonly has: Readonly<Record<Pausing, boolean>>;
  /** Seconds that one is taken for until one was measured. */
  readonly guess?: Readonly<Partial<Record<Pausing, number>>>;
}

export interface Left {
  /** Seconds; null where nothing is known of the steps to come. */
  readonly seconds: number | null;
  /** What is to come and is not in `seconds`, since none of it was measured yet. */
  readonly untimed: readonly Pausing[];
}

/** Latest steps that count: the first ones also compile their graphs. */
const RECENT = 21;
const kinds = ['evaluating', 'saving'] as const;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];

export class TimeLeft {
  readonly #plan: Plan;
  readonly #steps: number[] = [];
  readonly #latest: { [K in Pausing]?: number };

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#latest = { ...plan.guess };
  }

  /** A step took so long. */
  stepped(seconds: number): void {
    this.#steps.push(seconds);
    if (this.#steps.length > RECENT) this.#steps.shift();
  }

  /** An evaluation, or a saving, took so long: the next one will, too. */
  took(kind: Pausing, seconds: number): void {
    this.#latest[kind] = seconds;
  }

  /** Seconds that one of a kind takes, where that is known. */
  of(kind: Pausing): number | null {
    return this.#latest[kind] ?? null;
  }

  /**
   * What is left after `step` steps and what of their pauses is done: `during` is the one that is going on,
   * and is not counted.
   */
  after(step: number, during?: Pausing): Left {
    const untimed: Pausing[] = [];
    const steps = Math.max(0, this.#plan.steps - step);
    let seconds = steps === 0 ? 0 : this.#steps.length > 0 ? steps * median(this.#steps) : null;
    for (const kind of kinds) {
      const count = this.#pausesAfter(step, kind, during);
      const each = this.of(kind);
      if (count === 0) continue;
      if (each === null) untimed.push(kind);
      else if (seconds !== null) seconds += count * each;
    }
    return { seconds, untimed };
  }

  /** How many of a kind are still to come. The last step has one of each, evaluated before it is saved. */
  #pausesAfter(step: number, kind: Pausing, during: Pausing | undefined): number {
    const {
      steps,
      every: { [kind]: every },
      has,
    } = this.#plan;
    if (!has[kind]) return 0;
    const isOver = step >= steps && (during === kind || (kind === 'evaluating' && during === 'saving'));
    const between = every > 0 ? Math.max(0, Math.floor((steps - 1) / every) - Math.floor(step / every)) : 0;
    // the evaluation of a step comes before its saving
    const beside =
      kind === 'saving' && during === 'evaluating' && step < steps && every > 0 && step % every === 0 ? 1 : 0;
    return between + beside + (isOver ? 0 : 1);
  }
}
