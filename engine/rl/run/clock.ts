/** Counters of a run's progress. */

/** State of the clock in a checkpoint. */
export interface ClockState {
  /** Steps taken. */
  readonly step: number;
  /** Finished units of the schedule. */
  readonly units: number;
  /** Number of consecutive latest updates with a non-finite loss or gradient. */
  readonly skippedInRow: number;
}

/** Counts a run's steps, schedule units, and consecutive skipped updates. */
export class Clock implements ClockState {
  readonly totalSteps: number;
  #step: number;
  #units: number;
  #skippedInRow: number;

  constructor(totalSteps: number, { step = 0, units = 0, skippedInRow = 0 }: Partial<ClockState> = {}) {
    this.totalSteps = totalSteps;
    this.#step = step;
    this.#units = units;
    this.#skippedInRow = skippedInRow;
  }

  get step(): number {
    return this.#step;
  }
  get units(): number {
    return this.#units;
  }
  get skippedInRow(): number {
    return this.#skippedInRow;
  }
  /** Number of the next step; the first one is 1. */
  get nextStep(): number {
    return this.#step + 1;
  }
  get stepsLeft(): number {
    return Math.max(0, this.totalSteps - this.#step);
  }
  get isOver(): boolean {
    return this.stepsLeft === 0;
  }

  /** Finished share of the steps, 0–1; `ahead` adds this many steps. */
  progress(ahead = 0): number {
    return this.totalSteps === 0 ? 0 : (this.#step + ahead) / this.totalSteps;
  }

  /** True if a multiple of `every` was passed after step `since`; never for 0. */
  hasPassed(every: number, since: number): boolean {
    return every > 0 && Math.floor(this.#step / every) > Math.floor(since / every);
  }

  /** Steps to the next multiple of `every`; `Infinity` for 0. */
  stepsUntil(every: number): number {
    return every > 0 ? every - (this.#step % every) : Infinity;
  }

  countStep(): void {
    this.#step++;
  }
  countUnit(): void {
    this.#units++;
  }
  /** Counts an update; a finite one resets the count of skipped updates. */
  countUpdate(isSkipped: boolean): void {
    this.#skippedInRow = isSkipped ? this.#skippedInRow + 1 : 0;
  }

  state(): ClockState {
    return { step: this.#step, units: this.#units, skippedInRow: this.#skippedInRow };
  }
}
