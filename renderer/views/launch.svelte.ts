import { ForkState } from '../features/runs/form/fork.svelte.ts';
import { LaunchState } from '../features/runs/form/launch.svelte.ts';
import type { Launched } from '../features/runs/form/launching.svelte.ts';
import {
  modelDefaultsOf,
  startCheckpoint,
  type ModelDefaults,
} from '../features/runs/form/model-defaults.ts';
import { contextFor } from '../features/runs/form/references.ts';
import { loadStock, type Stock } from '../features/runs/form/stock.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { actsInControl, methodOfWorld, taskKindOf, type TaskKind } from '../lib/methods.ts';
import { changesIn, valueIn } from '../lib/run-copies.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** The data of a run on a dataset, or on a version or parts of it that an address names. */
const datasetTask = (
  datasetId: string,
  { version, trainPart, heldoutPart }: Query,
): Record<string, unknown> => ({
  kind: 'dataset',
  datasetId,
  ...(version && { version }),
  ...(trainPart && { trainPart }),
  ...(heldoutPart && { heldoutPart }),
});

/** A control world whose reward is increased by a chart of behaviour, given as JSON in the address. */
const chartTask = (id: string | undefined, chart: string): Record<string, unknown> => ({
  kind: 'control',
  id,
  charts: [{ chart: valueIn(chart), weight: 1 }],
});
/** Settings of the sample of behaviours (`main/plans/presets/behaviours.ts`). */
const ofCharts: readonly (readonly [path: readonly string[], value: unknown])[] = [
  [['method', 'params'], { copies: 8, atLimit: 'nothing' }],
  [['optimizer', 'learningRate'], 2.5e-3],
  [['budget', 'steps'], 1600],
];
type Client = Pick<WhetstoneClient, 'runs' | 'models' | 'datasets' | 'labels' | 'system' | 'methods'>;

/** True if a method of this kind of task is suitable to start with. */
type Suits = (kind: TaskKind | undefined) => boolean;
const learnsFromDemonstrations: Suits = (kind) => kind?.trainsOn === 'examples';
const learnsFromPairs: Suits = (kind) => kind?.trainsOn === 'pairs';
const learnsFromRewards: Suits = (kind) => kind?.rewards === 'needed';

/**
 * Opens the form for the dataset, label set, checkpoint, model, method and preset, world, run to copy, or
 * published system that the address names.
 */
export class LaunchView {
  launch = $state.raw<LaunchState | null>(null);
  /** The checkpoint that the run continues, if it forks one. */
  fork = $state.raw<ForkState | null>(null);
  private readonly client: Client;
  private readonly launched: (launched: Launched) => void;

  constructor(client: Client, launched: (launched: Launched) => void) {
    this.client = client;
    this.launched = launched;
  }

  /** Calls for runs; the runs of a fork are launched from its checkpoint. */
  private get port(): Pick<Client['runs'], 'check' | 'launch' | 'preflight'> {
    const { check, preflight, launch } = this.client.runs;
    const fork = this.fork?.checkpointId;
    return {
      check,
      preflight,
      launch: (input) => launch(fork === undefined ? input : { ...input, fork }),
    };
  }

  async load(query: Query): Promise<void> {
    const { client } = this;
    this.fork = query.fork ? new ForkState(client.runs, query.fork) : null;
    const stock = await loadStock(client);
    const copied = query.from
      ? (await client.runs.get({ id: query.from })).spec
      : query.system
        ? await this.specOf(stock, query.system)
        : null;
    const policy = this.startModel(stock, query);
    const start: Record<string, unknown> = copied ? structuredClone(copied) : { models: { policy } };
    // a copy is named after its method, unless the user names it
    if (query.from) delete start.name;
    const isNamed = copied !== null || query.checkpoint !== undefined || query.model !== undefined;
    const launch = new LaunchState(stock, start, this.port, this.launched, isNamed ? null : client.labels);
    if (!copied) {
      launch.chooseMethod(this.startMethod(stock, query, policy));
      const preset = query.preset && launch.method?.presets[query.preset];
      if (preset) launch.preset(preset as Record<string, unknown>);
      const isThere = launch.draft.get(['task', 'id']) === query.world;
      if (query.world && !query.chart && !isThere)
        launch.draft.set(['task'], { kind: 'world', id: query.world });
      if (query.dataset) launch.draft.set(['task'], datasetTask(query.dataset, query));
      if (query.chart) {
        launch.draft.set(['task'], chartTask(query.world, query.chart));
        for (const [path, value] of launch.method?.id === 'control-ppo' ? ofCharts : [])
          launch.draft.set(path, value);
      }
      if (query.labels) launch.draft.set(['task'], { kind: 'labels', labelSetId: query.labels });
      if (query.reward && launch.usesRewards)
        launch.draft.set(['rewards'], [{ id: 'reward-model', params: { checkpointId: query.reward } }]);
    }
    await launch.offerStart();
    this.launch = launch;
    // after the form is there, so that settings that cannot be read leave a form without them
    if (query.set) for (const { path, value } of changesIn(query.set)) launch.draft.set(path, value);
  }

  /**
   * The specification of a published system, with its name. Where it learns from rewards, it begins with the newest
   * policy that was trained on its world: random weights would rarely be right.
   */
  private async specOf(stock: Stock, id: string): Promise<Record<string, unknown>> {
    const { systems } = await this.client.methods.systems({});
    const system = systems.find((each) => each.id === id);
    if (!system?.spec)
      throw new WhetstoneError('not-found', `There is no specification of the system '${id}'.`, {
        where: 'address',
        hint: 'The Atlas lists the systems that have one.',
      });
    const { method, task, models } = system.spec as {
      readonly method: { readonly id: string };
      readonly task: { readonly id: string };
      readonly models: Record<string, unknown>;
    };
    const used = stock.catalogue.methods.find((each) => each.id === method.id);
    const policy = learnsFromRewards(taskKindOf(stock.catalogue, used))
      ? this.startModel(stock, { world: task.id })
      : models.policy;
    const isTrainedBefore = (policy as { readonly kind?: unknown }).kind === 'checkpoint';
    return { ...system.spec, name: system.name, models: isTrainedBefore ? { policy } : models };
  }

  /** The recommended method for the data that the address names, or else for the initial model. */
  private startMethod(stock: Stock, query: Query, policy: Record<string, unknown>): string {
    const { catalogue } = stock;
    const { methods, recommended } = catalogue;
    if (methods.some(({ id }) => id === query.method)) return query.method ?? '';
    if (query.chart) return methodOfWorld(catalogue, query.world);
    // a network goes on by the method that made it
    const made = stock.checkpoints.find(({ id }) => id === policy.checkpointId)?.method;
    if (made !== undefined && actsInControl(catalogue, made)) return made;
    const suits =
      this.suitsNamed(query) ??
      (query.produces ? undefined : this.suitsModel(policy, modelDefaultsOf(stock, policy)));
    const fits = methods.filter(
      (each) =>
        (!suits || suits(taskKindOf(catalogue, each))) &&
        (!query.produces || each.produces === query.produces),
    );
    const first = recommended.methods.find((id) => fits.some((each) => each.id === id));
    return first ?? fits[0]?.id ?? methods[0]?.id ?? '';
  }

  private suitsNamed(query: Query): Suits | undefined {
    if (query.labels) return learnsFromPairs;
    if (query.dataset) return learnsFromDemonstrations;
    return query.reward ? learnsFromRewards : undefined;
  }

  private suitsModel({ kind }: Record<string, unknown>, defaults: ModelDefaults): Suits {
    if (kind === 'new') return learnsFromDemonstrations;
    if (defaults.world) return learnsFromRewards;
    return defaults.task?.kind === 'labels' ? learnsFromPairs : learnsFromDemonstrations;
  }

  /**
   * The newest policy of the workspace, if any, since most runs continue from it. On a world, the newest one
   * trained on it.
   */
  private startModel(stock: Stock, query: Query): Record<string, unknown> {
    const { models, datasets } = stock;
    // the policy must read the user's own questions: an added model does, a small one trained on a world may
    // not
    const reads = query.dataset && query.method && query.policy !== 'new';
    const modelId = query.model ?? (reads ? models.find(({ head }) => head === 'next-token')?.id : undefined);
    if (modelId) return { kind: 'model', modelId };
    const worldOf = (checkpointId: string) =>
      modelDefaultsOf(stock, { kind: 'checkpoint', checkpointId }).world?.id;
    const knows = (id: string) => !query.world || worldOf(id) === query.world;
    const newest = startCheckpoint(stock, knows);
    const checkpointId = query.checkpoint ?? (query.dataset || query.policy === 'new' ? undefined : newest);
    if (checkpointId) return { kind: 'checkpoint', checkpointId };
    const dataset = datasets.find(({ id }) => id === query.dataset);
    if (dataset || query.labels) {
      const architecture = dataset ? { context: contextFor(dataset.doctor) } : {};
      return { kind: 'new', architecture, tokenizer: { kind: 'bytes' } };
    }
    const { policy } = stock.catalogue.recommended.base.models as { policy: Record<string, unknown> };
    return structuredClone(policy);
  }
}
