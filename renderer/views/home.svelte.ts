import { WhetstoneError } from '../../engine/common/errors.ts';
import { readHoldings, type Holdings } from '../features/home/holdings.ts';
import { session } from '../lib/session.svelte.ts';

/** State of Home: what the workspace holds. */
export class HomeState {
  /** Null while it is read for the first time. */
  held = $state.raw<Holdings | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private turn = 0;

  /** Reads it again; a newer call wins. */
  async load(): Promise<void> {
    const turn = ++this.turn;
    try {
      const runs = session.runList.filter(({ archived }) => !archived);
      const held = await readHoldings(session.client, runs);
      if (turn !== this.turn) return;
      this.held = held;
      this.error = null;
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }
}
