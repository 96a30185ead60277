import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ExportProgress, ExportType } from '../../../engine/schema/export.ts';
import { bytes } from '../../lib/format.ts';
import { Task } from '../../lib/task.svelte.ts';
import { toasts } from '../../lib/toasts.svelte.ts';
import type { Asked } from './try.svelte.ts';

type Port = Pick<WhetstoneClient['models'], 'export'>;

/** State of exporting one model. */
export class ExportState {
  to = $state('');
  merge = $state(false);
  /** '': unchanged. */
  dtype = $state<ExportType | ''>('');
  result = $state.raw<{ readonly path: string; readonly bytes: number } | null>(null);
  progress = $state.raw<ExportProgress | null>(null);
  readonly task = new Task();
  private release: () => void = () => undefined;
  /** True if the panel is on the screen; otherwise a toast reports the end. */
  watched = true;
  private readonly from: Asked;
  private readonly isAdapter: () => boolean;
  private readonly models: Port;

  constructor(from: Asked, isAdapter: () => boolean, models: Port) {
    this.from = from;
    this.isAdapter = isAdapter;
    this.models = models;
  }

  // getters, since derived values would not outlive the effect that created this state
  get share(): number | null {
    return this.progress && this.progress.total > 0 ? this.progress.written / this.progress.total : null;
  }
  get stopped(): boolean {
    return this.task.error?.kind === 'cancelled';
  }

  async write(): Promise<void> {
    if (this.task.busy || this.to.trim() === '') return;
    const merge = this.isAdapter() && this.merge;
    const isWhole = merge || !this.isAdapter();
    this.result = null;
    await this.task.run(async () => {
      await this.written({
        from: this.from,
        to: this.to.trim(),
        merge,
        dtype: isWhole && this.dtype !== '' ? this.dtype : null,
      });
      if (!this.watched && this.result)
        toasts.info(`Wrote ${bytes(this.result.bytes)} into ${this.result.path}.`);
    });
    if (!this.watched && this.task.error && !this.stopped) toasts.error(this.task.error);
  }

  /** Stops the export; partial files are deleted. */
  stop(): void {
    this.release();
  }

  private async written(input: Parameters<Port['export']>[0]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const close = this.models.export(
      input,
      (progress) => {
        this.progress = progress;
        this.result = progress.result ?? this.result;
      },
      (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
    );
    this.release = () => {
      close();
      reject(new WhetstoneError('cancelled', 'The export was stopped.'));
    };
    try {
      await promise;
    } finally {
      [this.progress, this.release] = [null, () => undefined];
    }
  }
}
