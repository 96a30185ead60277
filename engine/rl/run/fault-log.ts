/**
 * Collects answers that a scorer could not score: a limited number from each batch. The metric
 * `reward/<scorer>/failed` counts them all.
 */
import type { RewardFault } from '../../schema/results.ts';

const SHOWN_AT_ONCE = 3;
const SHOWN_IN_ALL = 60;
/** Characters of prompt and answer kept in a fault; the trajectory has the full text. */
const KEPT_CHARS = 2000;

export class FaultLog {
  #new: RewardFault[] = [];
  #shown = 0;

  readonly report = (faults: readonly RewardFault[]): void => {
    this.#new.push(...faults);
  };

  /** Faults added since the last call, up to the limit. */
  take(): RewardFault[] {
    const shown = this.#new.slice(0, Math.min(SHOWN_AT_ONCE, SHOWN_IN_ALL - this.#shown));
    this.#shown += shown.length;
    this.#new = [];
    return shown.map((fault) => ({
      ...fault,
      prompt: fault.prompt.slice(0, KEPT_CHARS),
      completion: fault.completion.slice(0, KEPT_CHARS),
    }));
  }
}
