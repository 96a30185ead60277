import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { ExportType } from '../../../preload/contract/models.ts';
import { bytes } from '../../lib/format.ts';
import { Task } from '../../lib/task.svelte.ts';
import { toasts } from '../../lib/toasts.svelte.ts';
import type { Asked } from './try.svelte.ts';

/** What is to be written of one model, and what was. */
export class ExportState {
  to = $state('');
  merge = $state(false);
  /** '': as they are. */
  dtype = $state<ExportType | ''>('');
  result = $state.raw<{ readonly path: string; readonly bytes: number } | null>(null);
  readonly task = new Task();
  /** Whether its panel is on the screen; otherwise the end is told at the foot of the window. */
  watched = true;
  private readonly from: Asked;
  private readonly isAdapter: () => boolean;
  private readonly models: Pick<WhetstoneClient['models'], 'export'>;

  constructor(from: Asked, isAdapter: () => boolean, models: Pick<WhetstoneClient['models'], 'export'>) {
    this.from = from;
    this.isAdapter = isAdapter;
    this.models = models;
  }

  async write(): Promise<void> {
    if (this.task.busy || this.to.trim() === '') return;
    const merge = this.isAdapter() && this.merge, isWhole = merge || !this.isAdapter();
    this.result = null;
    await this.task.run(async () => {
      const done = await this.models.export({ from: this.from, to: this.to.trim(), merge, dtype: isWhole && this.dtype !== '' ? this.dtype : null });
      this.result = done;
      if (!this.watched) toasts.say(`Wrote ${bytes(done.bytes)} into ${done.path}.`);
    });
    if (!this.watched && this.task.error) toasts.fault(this.task.error);
  }
}
