/** How far a run has come. */

/** What a checkpoint keeps of a clock. */
export interface ClockState {
  /** Steps taken. */
  readonly step: number;
  /** Units of the schedule that are done. */
  readonly units: number;
  /** Updates in a row, up to now, whose loss or gradient was not finite. */
  readonly skippedInRow: number;
}

/** Counts a run's steps, units of its schedule, and updates in a row that changed nothing. */
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
  /** Number of the step that rows are made for now; the first one is 1. */
  get nextStep(): number {
    return this.#step + 1;
  }
  get stepsLeft(): number {
    return Math.max(0, this.totalSteps - this.#step);
  }
  get isOver(): boolean {
    return this.stepsLeft === 0;
  }

  /** Share of the steps that are done, 0–1; `ahead`: once so many more are. */
  progress(ahead = 0): number {
    return this.totalSteps === 0 ? 0 : (this.#step + ahead) / this.totalSteps;
  }

  /** Whether a multiple of `every` was reached after step `since`; never for 0. */
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
  /** Counts an update; a finite one ends the row of those that were skipped. */
  countUpdate(isSkipped: boolean): void {
    this.#skippedInRow = isSkipped ? this.#skippedInRow + 1 : 0;
  }

  state(): ClockState {
    return { step: this.#step, units: this.#units, skippedInRow: this.#skippedInRow };
  }
}
