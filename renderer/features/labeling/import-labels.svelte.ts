import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LabelImport } from '../../../preload/contract/label-import.ts';
import { Task } from '../../lib/task.svelte.ts';

type Port = WhetstoneClient['labelImport'];

/** State of importing a file of labels into a set: first a preview, then the import. */
export class ImportLabels {
  path = $state('');
  as = $state('');
  /** Labels read so far, while the file is read. */
  read = $state(0);
  result = $state.raw<LabelImport | null>(null);
  readonly task = new Task();
  private release: () => void = () => undefined;
  private readonly setId: string;
  private readonly port: Port;

  constructor(setId: string, port: Port) {
    this.setId = setId;
    this.port = port;
  }

  get cancelled(): boolean {
    return this.task.error?.kind === 'cancelled';
  }

  /** True if the preview that is shown has labels to import. */
  get canImport(): boolean {
    return !this.task.busy && this.result !== null && !this.result.stored && this.result.added > 0;
  }

  /** A change of the file or the name makes the preview void. */
  change(): void {
    this.result = null;
  }

  async run(isPreview: boolean): Promise<void> {
    const path = this.path.trim();
    if (this.task.busy || path === '') return;
    [this.result, this.read] = [null, 0];
    const as = this.as.trim();
    const input = { setId: this.setId, path, isPreview, ...(as !== '' && { as }) };
    await this.task.run(async () => {
      let result: LabelImport | null = null;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.port.run(
        input,
        (progress) => {
          if (progress.state === 'done') result = progress.result;
          else this.read = progress.labels;
        },
        (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
      );
      this.release = () => {
        close();
        reject(new WhetstoneError('cancelled', 'The import was cancelled.'));
      };
      await promise;
      this.result = result;
    });
    this.release = () => undefined;
  }

  /** Cancels the import; no label is stored, unless all of them were being stored already. */
  cancel(): void {
    this.release();
  }
}
