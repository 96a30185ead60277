import { WhetstoneError } from '../../../../engine/common/errors.ts';
import { session } from '../../../lib/session.svelte.ts';
import { columnsOf, type ExploreTable } from './columns.ts';

/** Parameters and results of the compared runs. */
export class Exploration {
  table = $state.raw<ExploreTable | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  columns = $derived(this.table ? columnsOf(this.table) : []);
  /** Runs between the brushes; null: all of them. */
  brushed = $state.raw<readonly string[] | null>(null);
  private turn = 0;

  async load(runIds: readonly string[], metrics: readonly string[]): Promise<void> {
    const turn = ++this.turn;
    this.error = null;
    try {
      const table = await session.client.explore.table({ runIds: [...runIds], metrics: [...metrics] });
      if (turn !== this.turn) return;
      this.table = table;
      this.brushed = null;
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }
}
