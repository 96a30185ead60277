import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Dataset, Look } from '../../../preload/contract/datasets.ts';

interface Reading {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly rows: number;
  readonly secondsLeft: number | null;
}
type Client = Pick<WhetstoneClient['datasets'], 'import' | 'look' | 'upload'>;

/**
 * One import at a time: a path, or a file that is first sent to the services. It is read through and shown
 * before anything is stored (`look`); storing is a second step. Letting go of the feed cancels either.
 */
export class ImportState {
  path = $state('');
  name = $state('');
  /** What is being done while a file is read: looking at it, or storing its rows. */
  step = $state<'look' | 'store'>('look');
  reading = $state.raw<Reading | null>(null);
  sending = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $derived(this.sending || this.reading !== null);
  /** What was found in the file that the path names; another path has not been looked at. */
  look = $derived.by(() => (this.looked?.asked === this.path.trim() ? this.looked.look : null));
  private looked = $state.raw<{ readonly asked: string; readonly look: Look } | null>(null);
  private release: (() => void) | null = null;
  private readonly client: Client;
  private readonly imported: (dataset: Dataset) => Promise<void>;

  constructor(client: Client, imported: (dataset: Dataset) => Promise<void>) {
    this.client = client;
    this.imported = imported;
  }

  /** Sends a file of this page and looks at it, or stores it at once where what it holds is known. */
  async sendFile(file: File, then: 'look' | 'store' = 'look'): Promise<void> {
    this.sending = true;
    this.error = null;
    try {
      const { path } = await this.client.upload({
        name: file.name,
        bytes: new Uint8Array(await file.arrayBuffer()),
      });
      this.path = path;
      if (!this.name) this.name = file.name.replace(/\.[^.]+$/, '');
    } catch (error) {
      this.error = WhetstoneError.from(error);
      return;
    } finally {
      this.sending = false;
    }
    if (then === 'look') this.start();
    else this.store();
  }

  /** Reads the file through, and says what an import would make of it. */
  start(): void {
    const asked = this.path.trim();
    if (!asked || this.busy) return;
    this.begin('look');
    this.release = this.client.look(
      { path: asked },
      (progress) => {
        if (progress.state === 'reading') this.reading = progress;
        else this.looked = { asked, look: progress.look };
      },
      (error) => this.end(error),
    );
  }

  /** Stores what was looked at; lines that could not be read are left out, as was said. */
  store(): void {
    if (!this.path.trim() || this.busy) return;
    const path = this.look?.path ?? this.path.trim();
    const keepGoodLines = (this.look?.doctor.rejected ?? 0) > 0;
    this.begin('store');
    this.release = this.client.import(
      { path, name: this.name.trim(), keepGoodLines },
      (progress) => {
        if (progress.state === 'reading') {
          this.reading = progress;
          return;
        }
        this.path = '';
        this.name = '';
        void this.imported(progress.dataset);
      },
      (error) => this.end(error),
    );
  }

  /** Ends what is going on, or puts away what was found. */
  cancel(): void {
    this.release?.();
    this.release = null;
    if (this.reading === null) this.path = '';
    this.reading = null;
    this.looked = null;
  }

  private begin(step: 'look' | 'store'): void {
    this.error = null;
    this.looked = null;
    this.step = step;
    this.reading = { bytes: 0, totalBytes: 0, rows: 0, secondsLeft: null };
  }

  private end(error: unknown): void {
    this.reading = null;
    this.release = null;
    if (error) this.error = WhetstoneError.from(error);
  }
}
