import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ExportFormat, ExportResult, ExportSource } from '../../../preload/contract/exports.ts';
import type { ModeId } from '../../../engine/schema/labeling/index.ts';
import { Task } from '../../lib/task.svelte.ts';

type Port = WhetstoneClient['exports'];

/** A file name of a dataset or a label set, without what file systems refuse. */
const fileName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '')
    .slice(0, 80) || 'export';

/** True if a format takes label sets of a mode. Spans imply no pairs. */
const takesSet = ({ from, answers = [] }: ExportFormat, mode: ModeId): boolean =>
  answers.includes(mode) || (from.includes('label-set') && mode !== 'spans');

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
  /** Mode of the label set. */
  private readonly mode: ModeId;

  constructor(from: ExportSource, port: Port, mode: ModeId = 'pair') {
    this.from = from;
    this.port = port;
    this.mode = mode;
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
    const { kind } = this.from;
    await this.task.run(async () => {
      const all = await this.port.formats({});
      this.formats = all.filter((format) =>
        kind === 'label-set' ? takesSet(format, this.mode) : format.from.length > 0,
      );
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
