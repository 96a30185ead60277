import type { Rate } from '../../preload/contract/quality.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { session } from './session.svelte.ts';

/** The share of repeats that labelers decided alike: no model of their labels can be expected to exceed it. */
export interface CeilingOfSet {
  readonly setId: string;
  readonly rate: number;
  readonly interval: Rate['interval'];
  readonly n: number;
}

/** Self-agreement on the repeats of the label set that a run learned; null without repeats. */
export class Ceiling {
  value = $state.raw<CeilingOfSet | null>(null);
  private requested: string | undefined;

  async read(setId: string | undefined): Promise<void> {
    if (setId === this.requested) return;
    this.requested = setId;
    this.value = null;
    if (setId === undefined) return;
    await session.attempt(async () => {
      try {
        const { rate, interval, n } = await session.client.quality.ceiling({ setId });
        if (setId === this.requested) this.value = rate === null ? null : { setId, rate, interval, n };
      } catch (error) {
        // the set of an older run may have been removed
        if (WhetstoneError.from(error).kind !== 'not-found') throw error;
      }
    });
  }
}
