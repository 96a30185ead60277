import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ToyOutcome } from '../../../preload/contract/methods.ts';
import { NumberEntry, seedBounds } from '../../lib/number-entry.svelte.ts';
import { settings } from '../../lib/settings.svelte.ts';

/** Number of results of this machine kept per method. */
const KEPT = 12;

/** Toy run of one method, started here with a seed; its results are kept on this machine. */
export class ToyState {
  readonly seed = new NumberEntry(1, seedBounds);
  progress = $state.raw<{ readonly done: number; readonly total: number } | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  readonly id: string;
  private readonly port: Pick<WhetstoneClient['methods'], 'runToy'>;
  private release: () => void = () => undefined;

  constructor(id: string, port: Pick<WhetstoneClient['methods'], 'runToy'>) {
    this.id = id;
    this.port = port;
  }

  // getters, since derived values would not outlive the view that created this state
  get busy(): boolean {
    return this.progress !== null;
  }
  get here(): readonly ToyOutcome[] {
    return settings.get<readonly ToyOutcome[]>(`atlas.toy.${this.id}`, []);
  }
  get ready(): boolean {
    return !this.busy && this.seed.value !== null;
  }

  start = (): void => {
    const seed = this.seed.value;
    if (this.busy || seed === null) return;
    this.progress = { done: 0, total: 0 };
    this.error = null;
    this.release = this.port.runToy(
      { id: this.id, seed },
      ({ result, ...progress }) => {
        this.progress = progress;
        if (!result) return;
        settings.set(
          `atlas.toy.${this.id}`,
          [result, ...this.here.filter((each) => each.seed !== seed)].slice(0, KEPT),
        );
        this.seed.set((seed + 1) % 2 ** 32);
      },
      (error) => {
        this.progress = null;
        if (error !== undefined) this.error = WhetstoneError.from(error);
      },
    );
  };

  stop = (): void => {
    this.release();
    this.release = () => undefined;
    this.progress = null;
  };
}
