import { LaunchState } from '../features/runs/form/launch.svelte.ts';
import { contextFor } from '../features/runs/form/references.ts';
import { loadStock, type Stock } from '../features/runs/form/stock.ts';
import { router } from '../lib/router.svelte.ts';
import { session } from '../lib/session.svelte.ts';

type Query = Readonly<Record<string, string>>;

/** Opens the form for what the address names: a dataset, a label set, a checkpoint, a model, a method and its preset, a world, or another run to copy. */
export class LaunchView {
  launch = $state.raw<LaunchState | null>(null);

  async load(query: Query): Promise<void> {
    const { client } = session;
    await session.attempt(async () => {
      const stock = await loadStock(client);
      const copied = query.from ? (await client.runs.get({ id: query.from })).spec : null;
      const start: Record<string, unknown> = copied ? { ...structuredClone(copied), name: '' } : { models: { policy: this.startModel(stock, query) } };
      const isNamed = copied !== null || [query.checkpoint, query.model].some((each) => each !== undefined);
      const launch = new LaunchState(stock, start, client.runs, (runId) => router.go(['runs', runId]), isNamed ? null : client.labels);
      if (!copied) {
        launch.chooseMethod(this.startMethod(stock, query));
        const preset = query.preset && launch.method?.presets[query.preset];
        if (preset) launch.preset(preset as Record<string, unknown>);
        if (query.world) launch.draft.set(['task'], { kind: 'world', id: query.world });
        if (query.dataset) launch.draft.set(['task'], { kind: 'dataset', datasetId: query.dataset });
        if (query.labels) launch.draft.set(['task'], { kind: 'labels', labelSetId: query.labels });
        if (query.reward && launch.usesRewards) launch.draft.set(['rewards'], [{ id: 'reward-model', params: { checkpointId: query.reward } }]);
      }
      await launch.offerStart();
      this.launch = launch;
    });
  }

  private startMethod({ catalogue: { methods } }: Stock, query: Query): string {
    const task = query.world ? 'verifiable' : query.labels ? 'preferences' : query.dataset ? 'demonstrations' : query.reward ? 'verifiable' : undefined;
    const fits = methods.filter((each) => (!task || each.task === task) && (!query.produces || each.produces === query.produces));
    return (methods.find(({ id }) => id === query.method) ?? fits[0] ?? methods[0])?.id ?? '';
  }

  /** The newest policy of the workspace if there is one: most runs continue from it. */
  private startModel({ checkpoints, models, datasets }: Stock, query: Query): Record<string, unknown> {
    // what is sharpened on one's own questions reads them: a model that was added does, a small one trained on a world may not
    const modelId = query.model ?? (query.dataset && query.method ? models.find(({ head }) => head === 'next-token')?.id : undefined);
    if (modelId) return { kind: 'model', modelId };
    const dataset = datasets.find(({ id }) => id === query.dataset), checkpoint = query.checkpoint ?? (query.dataset ? undefined : checkpoints.find(({ head }) => head === 'next-token')?.id);
    return checkpoint ? { kind: 'checkpoint', checkpointId: checkpoint } : { kind: 'new', architecture: dataset ? { context: contextFor(dataset.doctor) } : {}, tokenizer: { kind: query.dataset || query.labels ? 'bytes' : 'characters' } };
  }
}
