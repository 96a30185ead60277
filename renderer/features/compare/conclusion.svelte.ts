import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Conclusion } from '../../../preload/contract/compare.ts';
import { session } from '../../lib/session.svelte.ts';

/** Conclusion of the comparison of the chosen runs; the last request wins. */
export class ConclusionState {
  value = $state.raw<Conclusion | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  private turn = 0;

  async show(runIds: readonly string[], baseline: string | null, folded: boolean): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    this.busy = runIds.length > 0;
    if (runIds.length === 0) {
      this.value = null;
      return;
    }
    try {
      const value = await session.client.compare.conclude({ runIds: [...runIds], baseline, folded });
      if (turn === this.turn) this.value = value;
    } catch (error) {
      if (turn !== this.turn) return;
      this.value = null;
      this.error = WhetstoneError.from(error);
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }
}
