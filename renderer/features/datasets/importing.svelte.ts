import { WhetstoneError } from '../../../engine/schema/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';

interface Reading { readonly bytes: number; readonly totalBytes: number; readonly rows: number; readonly secondsLeft: number | null }

/** One import at a time: a path, or a file that is first sent to the services. Letting go of the feed cancels it. */
export class ImportState {
  path = $state('');
  name = $state('');
  reading = $state.raw<Reading | null>(null);
  sending = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $derived(this.sending || this.reading !== null);
  private release: (() => void) | null = null;
  private readonly client: Pick<WhetstoneClient['datasets'], 'import' | 'upload'>;
  private readonly imported: (dataset: Dataset) => Promise<void>;

  constructor(client: Pick<WhetstoneClient['datasets'], 'import' | 'upload'>, imported: (dataset: Dataset) => Promise<void>) {
    this.client = client;
    this.imported = imported;
  }

  async sendFile(file: File): Promise<void> {
    this.sending = true;
    this.error = null;
    try {
      const { path } = await this.client.upload({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      this.path = path;
      if (!this.name) this.name = file.name.replace(/\.[^.]+$/, '');
    } catch (error) {
      this.error = WhetstoneError.from(error);
      return;
    } finally {
      this.sending = false;
    }
    this.start();
  }

  start(keepGoodLines = false): void {
    if (!this.path.trim() || this.busy) return;
    this.error = null;
    this.reading = { bytes: 0, totalBytes: 0, rows: 0, secondsLeft: null };
    this.release = this.client.import({ path: this.path.trim(), name: this.name.trim(), keepGoodLines }, (progress) => {
      if (progress.state === 'reading') { this.reading = progress; return; }
      this.path = '';
      this.name = '';
      void this.imported(progress.dataset);
    }, (error) => {
      this.reading = null;
      this.release = null;
      if (error) this.error = WhetstoneError.from(error);
    });
  }

  cancel(): void {
    this.release?.();
    this.release = null;
    this.reading = null;
  }
}
