import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WorldSample } from '../../../engine/schema/atlas.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';

/** Problems of one world, one at a time; outdated responses are dropped. */
export class WorldState {
  split = $state<'train' | 'heldout'>('train');
  level = $state<number | null>(null);
  sample = $state.raw<WorldSample | null>(null);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);
  readonly id: string;
  private index = 0;
  private turn = 0;
  private readonly port: Pick<WhetstoneClient['methods'], 'worldSample'>;

  constructor(id: string, port: Pick<WhetstoneClient['methods'], 'worldSample'>) {
    this.id = id;
    this.port = port;
  }

  /** Fetches the first problem, unless one is shown. */
  load(): Promise<void> {
    return this.turn === 0 ? this.ask() : Promise.resolve();
  }
  another(): void {
    this.index += 1;
    void this.ask();
  }

  choose({
    split = this.split,
    level = this.level,
  }: {
    split?: 'train' | 'heldout';
    level?: number | null;
  }): void {
    [this.split, this.level, this.index] = [split, level, 0];
    void this.ask();
  }

  private async ask(): Promise<void> {
    const turn = ++this.turn;
    this.busy = true;
    try {
      const sample = await this.port.worldSample({
        world: { id: this.id },
        split: this.split,
        level: this.level,
        index: this.index,
      });
      if (turn === this.turn) [this.sample, this.error] = [sample, null];
    } catch (error) {
      if (turn === this.turn) [this.sample, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }
}
