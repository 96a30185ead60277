import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CurveExportProgress, CurveExportResult } from '../../../preload/contract/logs.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { curveFormats, type CurveFormat } from '../../../preload/wire/log-tools.ts';
import { Task } from '../../lib/task.svelte.ts';

/** State of writing the curves of runs. */
export class CurveExportState {
  format = $state<CurveFormat>('csv');
  path = $state('');
  progress = $state.raw<Extract<CurveExportProgress, { state: 'writing' }> | null>(null);
  result = $state.raw<CurveExportResult | null>(null);
  readonly task = new Task();
  readonly chosen = $derived(curveFormats.find(({ id }) => id === this.format) ?? curveFormats[0]);
  private release: () => void = () => undefined;
  private readonly port: Pick<WhetstoneClient['logs'], 'export'>;

  constructor(port: Pick<WhetstoneClient['logs'], 'export'>) {
    this.port = port;
  }

  async write(runIds: readonly string[]): Promise<void> {
    if (this.task.busy || this.path.trim() === '' || runIds.length === 0) return;
    [this.result, this.progress] = [null, null];
    const input = { runIds: [...runIds], format: this.format, path: this.path.trim() };
    await this.task.run(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.port.export(
        input,
        (progress) => {
          if (progress.state === 'done') this.result = progress.result;
          else this.progress = progress;
        },
        (error) => (error === undefined ? resolve() : reject(WhetstoneError.from(error))),
      );
      this.release = () => {
        close();
        reject(new WhetstoneError('cancelled', 'The export was cancelled. Nothing was written.'));
      };
      await promise;
    });
    this.release = () => undefined;
    this.progress = null;
  }

  /** Cancels the export; no file is left. */
  cancel(): void {
    this.release();
  }
}
