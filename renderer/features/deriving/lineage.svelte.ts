import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LineageNode } from '../../../preload/contract/lineage.ts';
import { Task } from '../../lib/task.svelte.ts';

type Answer = Awaited<ReturnType<WhetstoneClient['lineage']['of']>>;

const screens = {
  dataset: 'datasets',
  'label-set': 'label',
  run: 'runs',
  checkpoint: 'models',
  model: 'models',
} as const;
type Screened = keyof typeof screens;

/** The address of a thing's screen; null for a file, and for what was removed. */
export const addressOf = ({ kind, id, removed }: LineageNode): readonly string[] | null =>
  !(kind in screens) || removed === true ? null : [screens[kind as Screened], id];

const words = {
  file: 'file',
  version: 'version',
  evaluation: 'evaluation',
  dataset: 'dataset',
  'label-set': 'labels',
  run: 'run',
  checkpoint: 'checkpoint',
  model: 'model',
};
export const kindText = ({ kind }: LineageNode): string => words[kind];

/** Where a dataset is from, and what was made from it. */
export class LineageState {
  of = $state.raw<Answer | null>(null);
  readonly task = new Task();
  /** True if a derived dataset was made again with the same rows; null before. */
  isSame = $state<boolean | null>(null);
  /** Rows made so far. */
  rebuilding = $state<{ done: number; total: number } | null>(null);
  private readonly client: Pick<WhetstoneClient, 'lineage' | 'deriving'>;
  private readonly id: string;
  private release: () => void = () => undefined;

  constructor(client: Pick<WhetstoneClient, 'lineage' | 'deriving'>, id: string) {
    this.client = client;
    this.id = id;
    void this.load();
  }

  get isDerived(): boolean {
    return this.of?.from.some(({ kind }) => kind === 'dataset') ?? false;
  }

  async load(): Promise<void> {
    await this.task.run(async () => {
      this.of = await this.client.lineage.of({ kind: 'dataset', id: this.id });
    });
  }

  /** Makes a derived dataset from its parents again, and compares the hash. */
  async rebuild(): Promise<void> {
    if (this.task.busy) return;
    this.isSame = null;
    await this.task.run(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const close = this.client.deriving.rebuild(
        { id: this.id },
        (progress) => {
          if (progress.state === 'done') this.isSame = progress.rebuilt.isSame;
          else this.rebuilding = { done: progress.done, total: progress.total };
        },
        (error) => (error === undefined ? resolve() : reject(error)),
      );
      this.release = () => {
        close();
        resolve();
      };
      await promise;
    });
    this.rebuilding = null;
  }

  cancel(): void {
    this.release();
  }
}
