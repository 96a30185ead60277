/** Estimates the time left of a run from measured steps, evaluations and savings. */

/** Pauses between steps. */
export type Pausing = 'evaluating' | 'saving';

export interface Plan {
  readonly steps: number;
  /** Steps between two pauses of a kind; 0: only at the end. */
  readonly every: Readonly<Record<Pausing, number>>;
  /** True if the run has pauses of the kind. */
  readonly has: Readonly<Record<Pausing, boolean>>;
  /** Assumed duration in seconds, until one was measured. */
  readonly guess?: Readonly<Partial<Record<Pausing, number>>>;
}

export interface TimeLeftInput {
  /** Seconds; null if no step was measured. */
  readonly seconds: number | null;
  /** Coming pauses without a measured duration, which `seconds` does not include. */
  readonly untimed: readonly Pausing[];
}

/** Number of latest steps in the median; the first ones also compile their graphs. */
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

  /** Records a step's duration. */
  stepped(seconds: number): void {
    this.#steps.push(seconds);
    if (this.#steps.length > RECENT) this.#steps.shift();
  }

  /** Records a pause's duration, the estimate for the next one. */
  took(kind: Pausing, seconds: number): void {
    this.#latest[kind] = seconds;
  }

  /** True if more than the current step is left, and no step was measured. */
  isUntimed(step: number): boolean {
    return this.#steps.length === 0 && this.#plan.steps - step > 1;
  }

  /** Estimated seconds of a pause, if known. */
  of(kind: Pausing): number | null {
    return this.#latest[kind] ?? null;
  }

  /**
   * Time left after `step` steps and their finished pauses, without the current pause `during`. Its expected
   * duration `expected`, in seconds, stands for later ones of its kind as long as none has ended.
   */
  after(step: number, during?: Pausing, expected?: number): TimeLeftInput {
    const untimed: Pausing[] = [];
    const steps = Math.max(0, this.#plan.steps - step);
    let seconds = steps === 0 ? 0 : this.#steps.length > 0 ? steps * median(this.#steps) : null;
    for (const kind of kinds) {
      const count = this.#pausesAfter(step, kind, during);
      const each = this.of(kind) ?? (kind === during ? (expected ?? null) : null);
      if (count === 0) continue;
      if (each === null) untimed.push(kind);
      else if (seconds !== null) seconds += count * each;
    }
    return { seconds, untimed };
  }

  /** Number of coming pauses of a kind. The last step has one of each, evaluated before it is saved. */
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
    const pending =
      kind === 'saving' && during === 'evaluating' && step < steps && every > 0 && step % every === 0 ? 1 : 0;
    return between + pending + (isOver ? 0 : 1);
  }
}
