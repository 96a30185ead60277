import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { LogEntry } from '../../../../preload/contract/run-log.ts';

/** The log of a run, read again as the run changes. */
export class LogState {
  entries = $state.raw<readonly LogEntry[]>([]);
  /** True if older entries are left out. */
  more = $state(false);
  loaded = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  private readonly id: string;
  private readonly client: Pick<WhetstoneClient, 'runLog'>;
  private turn = 0;

  constructor(id: string, client: Pick<WhetstoneClient, 'runLog'>) {
    this.id = id;
    this.client = client;
  }

  async read(): Promise<void> {
    const turn = (this.turn += 1);
    try {
      const { entries, more } = await this.client.runLog.of({ id: this.id });
      if (turn !== this.turn) return;
      [this.entries, this.more, this.loaded, this.error] = [entries, more, true, null];
    } catch (error) {
      if (turn === this.turn) this.error = WhetstoneError.from(error);
    }
  }
}

/** Entries of a kind (null: all) whose text or detail contains all words. */
export function filtered(entries: readonly LogEntry[], kind: string | null, search: string): LogEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ kind: own, text, detail = '' }) => {
    const hay = `${own} ${text} ${detail}`.toLowerCase();
    return (kind === null || own === kind) && words.every((word) => hay.includes(word));
  });
}
