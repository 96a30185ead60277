import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { StartStates } from '../../../../preload/contract/start-states.ts';
import { session } from '../../../lib/session.svelte.ts';

/** Where a run's answers began and how they ended, read again as it goes on. */
export class StartStatesView {
  /** Null if all answers began at their prompts, or none is there. */
  found = $state.raw<StartStates | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private turn = 0;

  async load(runId: string): Promise<void> {
    const turn = ++this.turn;
    try {
      const found = await session.client.startStates.ofRun({ runId });
      if (turn !== this.turn) return;
      [this.found, this.error] = [found, null];
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }
}
