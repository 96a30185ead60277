import { WhetstoneError } from '../../engine/common/errors.ts';

/**
 * What a form does when it is sent: one thing at a time is going on, and a failure stays beside the form
 * until the next try.
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
