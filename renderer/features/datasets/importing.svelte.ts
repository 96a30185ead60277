import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { Mapping, MappedField } from '../../../engine/schema/mapping.ts';
import type { Dataset, ImportPreview } from '../../../preload/contract/datasets.ts';

interface Reading {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly rows: number;
  readonly secondsLeft: number | null;
}
type Client = Pick<WhetstoneClient['datasets'], 'import' | 'preview' | 'upload' | 'columns'>;
type Columns = Awaited<ReturnType<Client['columns']>>;

/** Fields by the use that a preview reports of a column. */
const fieldOf: { readonly [use: string]: MappedField } = {
  prompt: 'prompt',
  answer: 'answer',
  'right answer': 'chosen',
  'wrong answer': 'rejected',
  reference: 'reference',
  'right or wrong': 'correct',
  source: 'source',
};

/**
 * One import at a time, from a path or from a file that the page uploads first. A preview comes
 * before the import itself. Closing the feed cancels either.
 */
export class ImportState {
  path = $state('');
  name = $state('');
  /** The phase while a file is read: preview or import. */
  step = $state<'preview' | 'store'>('preview');
  reading = $state.raw<Reading | null>(null);
  sending = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $derived(this.sending || this.reading !== null);
  /** The preview of the file at the path; null once the path has changed. */
  preview = $derived.by(() => (this.read?.path === this.path.trim() ? this.read.preview : null));
  /** The columns to choose from, once a person maps them by hand; null once the path has changed. */
  columns = $derived.by(() => (this.byHand?.path === this.path.trim() ? this.byHand.columns : null));
  /** The chosen columns, by field. */
  mapping = $state<{ [F in MappedField]?: string }>({});
  private byHand = $state.raw<{ readonly path: string; readonly columns: Columns } | null>(null);
  private read = $state.raw<{ readonly path: string; readonly preview: ImportPreview } | null>(null);
  private release: (() => void) | null = null;
  private readonly client: Client;
  private readonly imported: (dataset: Dataset) => Promise<void>;

  constructor(client: Client, imported: (dataset: Dataset) => Promise<void>) {
    this.client = client;
    this.imported = imported;
  }

  /** Uploads a file and previews it, or imports it at once if its content is known. */
  async sendFile(file: File, then: 'preview' | 'store' = 'preview'): Promise<void> {
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
    if (then === 'preview') this.start();
    else this.store();
  }

  /** Lists the file's columns to map them by hand, as the preview uses them to begin with. */
  async chooseColumns(): Promise<void> {
    const path = this.path.trim();
    if (!path || this.busy) return;
    try {
      const columns = await this.client.columns({ path });
      this.mapping = {};
      for (const { name, as } of this.preview?.doctor.columns ?? []) {
        const field = as === null ? undefined : fieldOf[as];
        if (field && columns.some((column) => column.name === name)) this.mapping[field] ??= name;
      }
      this.byHand = { path, columns };
      this.error = null;
    } catch (error) {
      this.error = WhetstoneError.from(error);
    }
  }

  /** Goes back to the detected layout. */
  detectColumns(): void {
    this.byHand = null;
    this.start();
  }

  private get chosen(): Mapping | undefined {
    if (!this.columns) return undefined;
    return Object.fromEntries(Object.entries(this.mapping).filter(([, column]) => column));
  }

  /** Previews the import of the whole file. */
  start(): void {
    const path = this.path.trim();
    if (!path || this.busy) return;
    this.begin('preview');
    this.release = this.client.preview(
      { path, mapping: this.chosen },
      (progress) => {
        if (progress.state === 'reading') this.reading = progress;
        else this.read = { path, preview: progress.preview };
      },
      (error) => this.end(error),
    );
  }

  /** Imports the previewed file without the lines that cannot be read. */
  store(): void {
    if (!this.path.trim() || this.busy) return;
    const path = this.preview?.path ?? this.path.trim();
    const mapping = this.chosen;
    const keepGoodLines = (this.preview?.doctor.rejected ?? 0) > 0;
    this.begin('store');
    this.release = this.client.import(
      { path, name: this.name.trim(), keepGoodLines, mapping },
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

  /** Cancels the current phase, or discards the preview. */
  cancel(): void {
    this.release?.();
    this.release = null;
    if (this.reading === null) this.path = '';
    this.reading = null;
    this.read = null;
    this.byHand = null;
  }

  private begin(step: 'preview' | 'store'): void {
    this.error = null;
    this.read = null;
    this.step = step;
    this.reading = { bytes: 0, totalBytes: 0, rows: 0, secondsLeft: null };
  }

  private end(error: unknown): void {
    this.reading = null;
    this.release = null;
    if (error) this.error = WhetstoneError.from(error);
  }
}
