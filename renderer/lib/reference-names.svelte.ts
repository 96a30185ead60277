import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { allOf } from './pages.ts';

type Named = { readonly id: string; readonly name: string };

/** Names of what specifications refer to by id: checkpoints, datasets, label sets, models. */
export class ReferenceNames {
  private checkpoints = $state.raw<readonly Checkpoint[] | null>(null);
  private datasets = $state.raw<readonly Dataset[]>([]);
  private named = $state.raw<readonly Named[]>([]);

  async load(client: Pick<WhetstoneClient, 'runs' | 'datasets' | 'labels' | 'models'>): Promise<void> {
    const [checkpoints, datasets, ...named] = await Promise.all([
      allOf((page) => client.runs.checkpoints(page)),
      allOf((page) => client.datasets.list(page)),
      allOf((page) => client.labels.sets(page)),
      allOf((page) => client.models.list(page)),
    ]);
    this.named = [...datasets, ...named.flat()];
    this.datasets = datasets;
    this.checkpoints = checkpoints;
  }

  checkpoint(id: string): { readonly name: string; readonly runId: string | null } {
    const found = this.checkpoints?.find((each) => each.id === id);
    return found
      ? { name: `${found.runName || found.method}, step ${found.step}`, runId: found.runId }
      : { name: this.unnamed(id), runId: null };
  }

  /** The name of a dataset, a label set or a model. */
  of(id: string): string {
    return this.named.find((each) => each.id === id)?.name ?? this.unnamed(id);
  }

  /** The checkpoints and datasets of the workspace, as they were when names were read. */
  get known(): { readonly checkpoints: readonly Checkpoint[]; readonly datasets: readonly Dataset[] } {
    return { checkpoints: this.checkpoints ?? [], datasets: this.datasets };
  }

  /** The label of an item without a name: called deleted only once the names have loaded. */
  private unnamed(id: string): string {
    return this.checkpoints === null ? `${id.slice(0, 8)}…` : `${id.slice(0, 8)}, deleted`;
  }
}
