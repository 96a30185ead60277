import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { OrderFacts } from '../../preload/contract/judge.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import { defaultJudge } from '../../preload/wire/judge.ts';
import type { NewSet } from '../features/labeling/CreateSet.svelte';
import { allOf } from '../lib/pages.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';
import { toasts } from '../lib/toasts.svelte.ts';

/** State of the list of label sets; creates sets from a dataset or a run. */
export class LabelSetsState {
  sets = $state.raw<readonly LabelSet[] | null>(null);
  datasets = $state.raw<readonly Dataset[]>([]);
  orders = $state.raw<readonly OrderFacts[]>([]);
  error = $state.raw<WhetstoneError | null>(null);
  busy = $state(false);

  async load(): Promise<void> {
    await session.attempt(async () => {
      const [sets, datasets, orders] = await Promise.all([
        allOf((page) => session.client.labels.sets(page)),
        allOf((page) => session.client.datasets.list(page)),
        session.client.judge.orders({}),
      ]);
      this.orders = orders;
      this.datasets = datasets;
      this.sets = [...sets].sort((a, b) => b.createdAt - a.createdAt);
    });
  }

  /** Sets are shown once the datasets have loaded, so a source without a name was removed. */
  sourceName(source: string): string {
    const [kind, id] = [source.slice(0, source.indexOf(':')), source.slice(source.indexOf(':') + 1)];
    return kind === 'run'
      ? session.runName(id)
      : (this.datasets.find((dataset) => dataset.id === id)?.name ?? 'a removed dataset');
  }

  async create({ order, ...set }: NewSet): Promise<void> {
    this.busy = true;
    try {
      const made = await session.client.labels.createSet(set);
      if (order !== defaultJudge.order)
        await session.client.judge.choose({ setId: made.id, settings: { order } });
      this.error = null;
      router.go(['label', made.id]);
    } catch (error) {
      this.error = WhetstoneError.from(error);
    } finally {
      this.busy = false;
    }
  }

  async rename(set: LabelSet, name: string): Promise<void> {
    await session.attempt(() => session.client.labels.renameSet({ id: set.id, name }));
    await this.load();
  }

  async remove(set: LabelSet): Promise<void> {
    if (await session.attempt(() => session.client.labels.removeSet({ id: set.id })))
      toasts.info(`Removed “${set.name}”.`);
    await this.load();
  }
}
