/** Reports a run's progress: its phase, the finished share, and the time left. */
import { followed } from '../../pace/index.ts';
import type { Events } from './outbox.ts';
import { TimeLeft, type Pausing, type Plan } from './time-left.ts';

/** Least time between progress events, in milliseconds. */
const REPORT_MS = 200;
/** Part of a step that takes longer than this is reported separately, in seconds. */
const LONG_SECONDS = 1;
/** A phase's time left is extrapolated only after this many seconds and this share of it. */
const RELIABLE = { seconds: 0.5, share: 0.01 };

/** Unit of a phase's progress. */
export interface Counted {
  readonly total: number;
  /** Name of the unit: rows, problems, `percent`. */
  readonly of: string;
}
export const percent: Counted = { total: 100, of: 'percent' };

interface Phase {
  readonly name: string;
  readonly counted: Counted;
  /** Part of one step, reported only if it takes long. */
  readonly isBrief: boolean;
  readonly kind?: Pausing;
  began: number;
  share: number;
}

export class RunProgress {
  readonly #events: Events;
  readonly #at: () => { readonly role?: string; readonly step: number };
  #left: TimeLeft | undefined;
  #phase: Phase | undefined;
  #reportedAt = -Infinity;

  /** `at` returns the current role and step. */
  constructor(events: Events, at: () => { readonly role?: string; readonly step: number }) {
    this.#events = events;
    this.#at = at;
  }

  /** Sets the plan of steps and pauses, once the run is open. */
  plan(plan: Plan): void {
    this.#left = new TimeLeft(plan);
  }

  /** Runs a phase, possibly nested. Pauses (`kind`) are timed to estimate later ones. */
  async during<T>(name: string, counted: Counted, work: () => Promise<T>, kind?: Pausing): Promise<T> {
    const phase: Phase = {
      name,
      counted,
      isBrief: false,
      began: performance.now(),
      share: 0,
      ...(kind && { kind }),
    };
    const around = this.#phase;
    this.#phase = phase;
    await this.#emit(phase);
    try {
      const done = await followed({ report: (share) => this.#advanced(phase, share) }, work);
      if (kind) this.#left?.took(kind, secondsOf(phase));
      return done;
    } finally {
      // exclude the nested phase from the outer one's time
      if (around) around.began += performance.now() - phase.began;
      this.#phase = around;
    }
  }

  /** Runs a part of one step. */
  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    const phase: Phase = { name, counted: percent, isBrief: true, began: performance.now(), share: 0 };
    return followed({ report: (share) => this.#advanced(phase, share) }, work);
  }

  /** Records a step's duration and reports it, at a limited rate; the last step is always reported. */
  async stepped(name: string, seconds: number, total: number): Promise<void> {
    this.#left?.stepped(seconds);
    const { step, ...at } = this.#at();
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_MS && step < total) return;
    this.#reportedAt = now;
    const { seconds: secondsLeft, untimed } = this.#left?.after(step) ?? { seconds: null, untimed: [] };
    await this.#events.emit(
      { type: 'progress', phase: name, done: step, total, secondsLeft, untimed },
      { ...at, step },
    );
  }

  async #advanced(phase: Phase, share: number): Promise<void> {
    phase.share = Math.max(phase.share, Math.min(1, share));
    const isSoon = performance.now() - this.#reportedAt < REPORT_MS;
    if (isSoon || (phase.isBrief && secondsOf(phase) < LONG_SECONDS)) return;
    await this.#emit(phase);
  }

  async #emit(phase: Phase): Promise<void> {
    this.#reportedAt = performance.now();
    const { step, ...at } = this.#at();
    const own = this.#ofPhase(phase);
    const expected = own === null ? undefined : secondsOf(phase) + own;
    const rest = this.#left?.after(phase.isBrief ? step + 1 : step, phase.kind, expected);
    // the phase's own time is not the run's as long as the steps after it cannot be estimated
    const isUnknown = !rest || this.#left?.isUntimed(step) || (rest.seconds === null && phase.kind);
    const secondsLeft = own === null || isUnknown ? null : own + (rest.seconds ?? 0);
    const untimed = !rest || rest.seconds === null ? ['training', ...(rest?.untimed ?? [])] : rest.untimed;
    const { total, of } = phase.counted;
    const done = Math.floor(phase.share * total);
    await this.#events.emit(
      { type: 'progress', phase: phase.name, done, total, of, secondsLeft, untimed },
      { ...at, step },
    );
  }

  /** Seconds left in a phase: extrapolated from its finished share, or from the last pause of its kind. */
  #ofPhase({ share, kind, ...phase }: Phase): number | null {
    const seconds = secondsOf(phase);
    if (share >= RELIABLE.share && seconds >= RELIABLE.seconds) return seconds * (1 / share - 1);
    const before = kind && this.#left?.of(kind);
    return before === undefined || before === null ? null : Math.max(0, before - seconds);
  }
}

const secondsOf = ({ began }: Pick<Phase, 'began'>): number => (performance.now() - began) / 1000;
