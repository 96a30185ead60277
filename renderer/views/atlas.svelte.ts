import { WhetstoneError } from '../../engine/common/errors.ts';
import { ToyState } from '../features/methods/toy.svelte.ts';
import type { Systems } from '../features/systems/systems.ts';
import { session } from '../lib/session.svelte.ts';

/** State of the Atlas: the published systems, and the toy runs that were started from it. */
export class AtlasState {
  /** Null until they are loaded. */
  facts = $state.raw<Systems | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly toys: Record<string, ToyState | undefined> = {};

  async load(): Promise<void> {
    this.error = null;
    try {
      this.facts = await session.client.methods.systems({});
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Toy runs by method, so that one continues while another system is in view. */
  toyOf(method: string): ToyState {
    return (this.toys[method] ??= new ToyState(method, session.client.methods));
  }

  /** Stops all running toy runs. */
  leave(): void {
    for (const toy of Object.values(this.toys)) toy?.stop();
  }
}
