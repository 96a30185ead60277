import { WhetstoneError } from '../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { ToyState } from '../features/methods/toy.svelte.ts';
import type { Systems } from '../features/systems/systems.ts';

type Calls = Pick<WhetstoneClient['methods'], 'systems' | 'runToy'>;

/** State of the Atlas: the published systems, and the toy runs that were started from it. */
export class AtlasState {
  /** Null until they are loaded. */
  facts = $state.raw<Systems | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly calls: Calls;
  private readonly toys: Record<string, ToyState | undefined> = {};

  constructor(calls: Calls) {
    this.calls = calls;
  }

  /** Loads the systems; a failure stays as `error` until the next call. */
  async load(): Promise<void> {
    this.error = null;
    try {
      this.facts = await this.calls.systems({});
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Toy runs by method, so that one continues while another system is in view. */
  toyOf(method: string): ToyState {
    return (this.toys[method] ??= new ToyState(method, this.calls));
  }

  /** Stops all running toy runs. */
  leave(): void {
    for (const toy of Object.values(this.toys)) toy?.stop();
  }
}
