import { WhetstoneError } from '../../engine/common/errors.ts';

/**
 * State of a form's submission: one at a time, and a failure is shown next to the form until the next try.
 */
export class Task {
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);

  async run(action: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.error = null;
    try {
      await action();
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }
}
