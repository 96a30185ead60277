import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ExportFormat, ExportResult, ExportSource } from '../../../preload/contract/exports.ts';
import { Task } from '../../lib/task.svelte.ts';

type Port = WhetstoneClient['exports'];

/** A file name of a dataset or a label set, without what file systems refuse. */
const fileName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '')
    .slice(0, 80) || 'export';

/** State of exporting one dataset or label set as a file. */
export class FileExportState {
  formats = $state.raw<readonly ExportFormat[]>([]);
  format = $state('');
  path = $state('');
  /** Records written so far, while an export runs. */
  records = $state(0);
  result = $state.raw<ExportResult | null>(null);
  readonly task = new Task();
  private release: () => void = () => undefined;
  private readonly from: ExportSource;
  private readonly port: Port;

  constructor(from: ExportSource, port: Port) {
    this.from = from;
    this.port = port;
  }

  get chosen(): ExportFormat | null {
    return this.formats.find(({ id }) => id === this.format) ?? null;
  }
  get cancelled(): boolean {
    return this.task.error?.kind === 'cancelled';
  }
  fileNameFor(name: string): string {
    return `${fileName(name)}${this.chosen?.extension ?? ''}`;
  }

  async load(): Promise<void> {
    const isSet = this.from.kind === 'label-set';
    await this.task.run(async () => {
      const all = await this.port.formats({});
      this.formats = all.filter(({ from }) => (isSet ? from.includes('label-set') : true));
      this.format ||= this.formats.at(0)?.id ?? '';
    });
  }

  async write(): Promise<void> {
    if (this.task.busy || !this.chosen || this.path.trim() === '') return;
    [this.result, this.records] = [null, 0];
    const input = { from: this.from, format: this.format, path: this.path.trim() };
    await this.task.run(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.port.write(
        input,
        (progress) => {
          if (progress.state === 'done') this.result = progress.result;
          else this.records = progress.records;
        },
        (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
      );
      this.release = () => {
        close();
        reject(new WhetstoneError('cancelled', 'The export was cancelled.'));
      };
      await promise;
    });
    this.release = () => undefined;
  }

  /** Cancels the export; no file is left. */
  cancel(): void {
    this.release();
  }
}
