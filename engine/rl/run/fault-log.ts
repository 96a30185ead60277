/**
 * Answers that a scorer could not score as they are: some of each batch are shown, and not without end. How
 * often code failed is the metric `reward/<scorer>/failed`.
 */
import type { RewardFault } from '../../schema/results.ts';

const SHOWN_AT_ONCE = 3;
const SHOWN_IN_ALL = 60;
/** Characters of a prompt and an answer that are kept beside the trajectory itself. */
const KEPT_CHARS = 2000;

export class FaultLog {
  #new: RewardFault[] = [];
  #shown = 0;

  readonly report = (faults: readonly RewardFault[]): void => {
    this.#new.push(...faults);
  };

  /** What came since the last call, as far as it is shown. */
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
