import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { allOf } from './pages.ts';

type Named = { readonly id: string; readonly name: string };

/** Names of what specifications refer to by id: checkpoints, datasets, label sets, models. */
export class ReferenceNames {
  private checkpoints = $state.raw<readonly Checkpoint[] | null>(null);
  private named = $state.raw<readonly Named[]>([]);

  async load(client: Pick<WhetstoneClient, 'runs' | 'datasets' | 'labels' | 'models'>): Promise<void> {
    const [checkpoints, ...named] = await Promise.all([
      allOf((page) => client.runs.checkpoints(page)),
      allOf((page) => client.datasets.list(page)),
      allOf((page) => client.labels.sets(page)),
      allOf((page) => client.models.list(page)),
    ]);
    this.named = named.flat();
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

  /** The name for the id in a field of a specification; null if the field holds no id. */
  inField(path: string, id: string): string | null {
    const key = path.slice(path.lastIndexOf('.') + 1);
    // a reward accepts added models as well as checkpoints
    if (key === 'checkpointId' && !this.named.some((each) => each.id === id)) return this.checkpoint(id).name;
    return ['checkpointId', 'datasetId', 'labelSetId', 'modelId'].includes(key) ? this.of(id) : null;
  }

  /** The label of an item without a name: called deleted only once the names have loaded. */
  private unnamed(id: string): string {
    return this.checkpoints === null ? `${id.slice(0, 8)}…` : `${id.slice(0, 8)}, deleted`;
  }
}
