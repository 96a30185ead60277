import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Sample } from '../../../preload/contract/runs.ts';

const PAGE = 50;

/** The newest answers of one run. While the user reads, new answers are counted and shown only on request. */
export class SamplesState {
  list = $state.raw<readonly Sample[]>([]);
  total = $state<number | null>(null);
  waiting = $state(0);
  purpose = $state<Sample['purpose'] | null>(null);
  loading = $state(false);
  /** Whether the last request failed. */
  failed = $state(false);
  private readonly runId: string;
  private readonly port: Pick<WhetstoneClient['runs'], 'samples'>;
  private readonly onError: (error: unknown) => void;
  private turn = 0;

  constructor(
    runId: string,
    port: Pick<WhetstoneClient['runs'], 'samples'>,
    onError: (error: unknown) => void,
  ) {
    this.runId = runId;
    this.port = port;
    this.onError = onError;
  }

  show(purpose: Sample['purpose'] | null): void {
    if (purpose !== this.purpose) [this.list, this.total] = [[], null];
    this.purpose = purpose;
    void this.reload();
  }

  /** Shows waiting answers at once when the user begins to read, so that nothing moves later. */
  opened(): void {
    if (this.waiting > 0) void this.reload();
  }

  /** Counts `n` new answers; an empty list shows them at once. */
  arrived(n: number): void {
    if (n === 0) return;
    this.waiting += n;
    if (this.list.length === 0 && !this.loading) void this.reload();
  }

  reload(): Promise<void> {
    this.waiting = 0;
    return this.fetch(0);
  }

  more(): Promise<void> {
    return this.fetch(this.list.length + this.waiting);
  }

  private async fetch(offset: number): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    this.failed = false;
    try {
      const { total, samples } = await this.port.samples({
        runIds: [this.runId],
        purpose: this.purpose,
        offset,
        limit: PAGE,
      });
      if (turn !== this.turn) return;
      const known = offset === 0 ? [] : this.list.map(({ id }) => id);
      this.list = offset === 0 ? samples : [...this.list, ...samples.filter(({ id }) => !known.includes(id))];
      this.total = total;
    } catch (error) {
      if (turn === this.turn) this.failed = true;
      this.onError(error);
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }
}
