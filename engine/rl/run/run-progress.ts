/**
 * What a run tells of itself while it works: its phase, how much of that is done, and how long the rest
 * takes.
 */
import { followed } from '../../pace/index.ts';
import type { Events } from './outbox.ts';
import { TimeLeft, type Pausing, type Plan } from './time-left.ts';

/** Progress is not told more often than a page can show, in milliseconds. */
const TELL_MS = 200;
/** A piece of a step that takes longer than this is told by itself, in seconds. */
const LONG_SECONDS = 1;
/** A phase is not judged by its first moments, in seconds and as a share of it. */
const LEAST = { seconds: 0.5, share: 0.01 };

/** What a phase is counted in. */
export interface Counted {
  readonly total: number;
  /** Of what: rows, problems, `percent`. */
  readonly of: string;
}
export const percent: Counted = { total: 100, of: 'percent' };

interface Phase {
  readonly name: string;
  readonly counted: Counted;
  /** A piece of one step: told only where it takes long. */
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
  #toldAt = -Infinity;

  /** `at`: where the run stands. */
  constructor(events: Events, at: () => { readonly role?: string; readonly step: number }) {
    this.#events = events;
    this.#at = at;
  }

  /** The run is open: what is to come is known. */
  plan(plan: Plan): void {
    this.#left = new TimeLeft(plan);
  }

  /**
   * Does a phase of the run, or one inside another. A pause of the run (`kind`) is measured, so that later
   * ones are foreseen.
   */
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
    await this.#tell(phase);
    try {
      const done = await followed({ report: (share) => this.#heard(phase, share) }, work);
      if (kind) this.#left?.took(kind, secondsOf(phase));
      return done;
    } finally {
      // what a phase inside took says nothing of how fast the other one goes
      if (around) around.began += performance.now() - phase.began;
      this.#phase = around;
    }
  }

  /** Does a piece of one step. */
  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    const phase: Phase = { name, counted: percent, isBrief: true, began: performance.now(), share: 0 };
    return followed({ report: (share) => this.#heard(phase, share) }, work);
  }

  /** A step took so long. It is told, and so is the last one whatever was told just before. */
  async stepped(name: string, seconds: number, total: number): Promise<void> {
    this.#left?.stepped(seconds);
    const { step, ...at } = this.#at();
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS && step < total) return;
    this.#toldAt = now;
    const { seconds: secondsLeft, untimed } = this.#left?.after(step) ?? { seconds: null, untimed: [] };
    await this.#events.emit(
      { type: 'progress', phase: name, done: step, total, secondsLeft, untimed },
      { ...at, step },
    );
  }

  async #heard(phase: Phase, share: number): Promise<void> {
    phase.share = Math.max(phase.share, Math.min(1, share));
    const isSoon = performance.now() - this.#toldAt < TELL_MS;
    if (isSoon || (phase.isBrief && secondsOf(phase) < LONG_SECONDS)) return;
    await this.#tell(phase);
  }

  async #tell(phase: Phase): Promise<void> {
    this.#toldAt = performance.now();
    const { step, ...at } = this.#at();
    const rest = this.#left?.after(phase.isBrief ? step + 1 : step, phase.kind) ?? {
      seconds: null,
      untimed: [],
    };
    const own = this.#ofPhase(phase);
    // steps that were never timed are nothing that a phase before them could say
    const secondsLeft =
      own === null || (rest.seconds === null && phase.kind) ? null : own + (rest.seconds ?? 0);
    const untimed = rest.seconds === null ? ['training', ...rest.untimed] : rest.untimed;
    const { total, of } = phase.counted;
    const done = Math.floor(phase.share * total);
    await this.#events.emit(
      { type: 'progress', phase: phase.name, done, total, of, secondsLeft, untimed },
      { ...at, step },
    );
  }

  /** Seconds that the rest of a phase takes: as its share so far, or as the last one of its kind. */
  #ofPhase({ share, kind, ...phase }: Phase): number | null {
    const seconds = secondsOf(phase);
    if (share >= LEAST.share && seconds >= LEAST.seconds) return seconds * (1 / share - 1);
    const before = kind && this.#left?.of(kind);
    return before === undefined || before === null ? null : Math.max(0, before - seconds);
  }
}

const secondsOf = ({ began }: Pick<Phase, 'began'>): number => (performance.now() - began) / 1000;
