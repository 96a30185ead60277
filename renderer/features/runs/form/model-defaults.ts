import { onePass, usual } from '../../../../engine/common/suggested.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import type { Method, TaskKind } from '../../../lib/methods.ts';
import { isTrained } from '../../../lib/starts.ts';
import { controlChoices, textCheckpoints, type Catalogue, type Stock } from './stock.ts';

type Section = Readonly<Record<string, unknown>>;

/** Defaults of a run that starts from a model: the task, and the evaluation. */
export interface ModelDefaults {
  readonly task: Section | null;
  /** World that a trained policy is evaluated on, by id and parameters; null without one. */
  readonly world: Section | null;
  readonly sampling: Section;
  readonly evaluation: Section;
  /** For a new model. */
  readonly context?: unknown;
}

const noDefaults: ModelDefaults = { task: null, world: null, sampling: {}, evaluation: {} };
const section = (value: unknown): Section =>
  typeof value === 'object' && value !== null ? (value as Section) : {};

/**
 * Defaults of a run that continues another: the same task and evaluation, so that the two can be compared.
 * For a run without evaluation (sampling only, say), those of `before`, the defaults of its initial model.
 */
const defaultsOfRun = ({ task, sampling, evaluation }: RunSpec, before: ModelDefaults): ModelDefaults => ({
  task,
  world: task.kind === 'world' ? { id: task.id, params: task.params } : (evaluation.world ?? before.world),
  sampling: { ...sampling },
  evaluation:
    evaluation.problems > 0
      ? { problems: evaluation.problems, samples: evaluation.samples }
      : before.evaluation,
});

/**
 * Defaults of a model source: of a checkpoint, its run's; of random weights, the recommended ones; an added
 * model has none.
 */
export function modelDefaultsOf(
  stock: Pick<Stock, 'catalogue' | 'checkpoints' | 'runs'>,
  policy: unknown,
): ModelDefaults {
  const { catalogue, checkpoints, runs } = stock;
  const { kind, checkpointId } = section(policy);
  if (kind === 'checkpoint') {
    const runId = checkpoints.find(({ id }) => id === checkpointId)?.runId;
    const spec = runs.find(({ id }) => id === runId)?.spec;
    if (!spec) return noDefaults;
    const { policy: before } = spec.models;
    return defaultsOfRun(spec, before.kind === 'checkpoint' ? modelDefaultsOf(stock, before) : noDefaults);
  }
  if (kind !== 'new') return noDefaults;
  const { task, sampling, evaluation, models } = catalogue.recommended.base;
  const { context } = section(section(section(models).policy).architecture);
  return {
    task: section(task),
    world: null,
    sampling: section(sampling),
    evaluation: section(evaluation),
    context,
  };
}

/** The newest policy of a finished run that solves something, else the newest one. */
export function startCheckpoint(
  stock: Pick<Stock, 'catalogue' | 'checkpoints' | 'runs'>,
  accepts: (id: string) => boolean = () => true,
): string | undefined {
  const { runs } = stock;
  const found = textCheckpoints(stock).filter(({ id, head }) => head === 'next-token' && accepts(id));
  const trained = found.find(({ runId }) => {
    const run = runs.find(({ id }) => id === runId);
    return run?.state === undefined || isTrained({ state: run.state, outcome: run.outcome ?? null });
  });
  return (trained ?? found[0])?.id;
}

export const paths = [
  ['budget', 'steps'],
  ['sampling', 'temperature'],
  ['sampling', 'maxTokens'],
  ['evaluation', 'problems'],
  ['evaluation', 'samples'],
  ['evaluation', 'world'],
  ['models', 'policy', 'architecture', 'context'],
] as const;

/** Pairs of a task that are trained on and that are held out, about; null if their number is not known. */
export function pairsOf(
  stock: Pick<Stock, 'labelSets' | 'datasets'>,
  task: unknown,
): { readonly trained: number; readonly heldOut: number } | null {
  const { kind, labelSetId, datasetId, heldout } = section(task);
  const labels = kind === 'labels' ? stock.labelSets.find(({ id }) => id === labelSetId) : undefined;
  const dataset = kind === 'dataset' ? stock.datasets.find(({ id }) => id === datasetId) : undefined;
  const pairs = labels?.implied ?? labels?.decided ?? (dataset?.curated ? undefined : dataset?.doctor.pairs);
  if (pairs === undefined) return null;
  const trained = Math.floor(pairs * (1 - (typeof heldout === 'number' ? heldout : usual.heldout)));
  return { trained, heldOut: pairs - trained };
}

/**
 * Steps of one epoch over the pairs of a task; undefined if their number is not known, and for a reward model
 * on so few that one epoch is a single step, which teaches it nothing.
 */
export function stepsOf(
  stock: Pick<Stock, 'labelSets' | 'datasets'>,
  task: unknown,
  batch: unknown,
  produces: string | undefined,
): number | undefined {
  const trained = pairsOf(stock, task)?.trained ?? 0;
  if (trained === 0 || typeof batch !== 'number') return undefined;
  const steps = onePass(trained, batch);
  return produces === 'reward' && steps === 1 ? undefined : steps;
}

type Data = Pick<Stock, 'catalogue' | 'datasets' | 'labelSets'>;

/** True if a dataset had rows of a kind when it was imported. */
const had: Readonly<Record<TaskKind['trainsOn'], (dataset: Dataset) => boolean>> = {
  pairs: ({ doctor }) => doctor.pairs > 0,
  graded: ({ doctor }) => doctor.correct + doctor.wrong > 0,
  examples: () => true,
  problems: () => true,
  steps: () => false,
};

/**
 * The worlds and datasets that have rows of a kind: preference pairs, marked answers, and so on. Curated
 * datasets are kept, since they may have got such rows after the import; the launch checks them.
 */
export function stockFor<S extends Data>(stock: S, kind: TaskKind | undefined): S {
  if (!kind) return stock;
  return {
    ...stock,
    catalogue: {
      ...stock.catalogue,
      worlds: stock.catalogue.worlds.filter(({ taskKinds }) => taskKinds.includes(kind.kind)),
    },
    datasets: stock.datasets.filter((dataset) => dataset.curated || had[kind.trainsOn](dataset)),
  };
}

/**
 * A task of the first source on offer that the workspace has data for; the model's own task comes first.
 */
export function taskFor(
  stock: Data,
  kind: TaskKind | undefined,
  { task, world }: Pick<ModelDefaults, 'task' | 'world'>,
  method?: Pick<Method, 'actions'>,
): Record<string, unknown> {
  const { catalogue, datasets, labelSets } = stockFor(stock, kind);
  const offeredBy: readonly string[] = kind?.offeredBy ?? [];
  const first = catalogue.worlds[0];
  const dataset = datasets.find((each) => !kind || had[kind.trainsOn](each)) ?? datasets.at(0);
  const has = (id: unknown): boolean => catalogue.worlds.some((each) => each.id === id);
  const have: Record<string, Record<string, unknown> | undefined> = {
    world: has(world?.id) ? { kind: 'world', ...world } : first && { kind: 'world', id: first.id },
    dataset: dataset && { kind: 'dataset', datasetId: dataset.id },
    control: { kind: 'control', id: controlChoices(catalogue, method).at(0)?.value },
    labels: labelSets[0] && { kind: 'labels', labelSetId: labelSets[0].id },
    ...(task && (task.kind !== 'world' || has(task.id)) && { [String(task.kind)]: { ...task } }),
  };
  // few worlds have preferences, so other sources come first
  const continues = task && offeredBy[0] !== 'labels' && offeredBy.includes(String(task.kind));
  const order = continues ? [String(task.kind), ...offeredBy] : offeredBy;
  return order.map((kind) => have[kind]).find((each) => each !== undefined) ?? { kind: offeredBy[0] };
}

/**
 * Default settings, in the order of `paths` without the first. On the model's own world, or on labels (which
 * have no world of their own), the model's defaults. On another world, the length of that world's
 * answers, and for a new model a context that fits its prompts.
 */
function settingsOfPolicy(
  defaults: ModelDefaults,
  draft: { readonly task: unknown; readonly policy: unknown },
  worlds: Catalogue['worlds'],
): readonly unknown[] {
  const { sampling, evaluation } = defaults;
  const { kind, id } = section(draft.task);
  const fromLabels = kind === 'labels' && defaults.world !== null;
  if (fromLabels || (kind === 'world' && id === (defaults.world ?? defaults.task)?.id)) {
    const { temperature, maxTokens } = sampling;
    return [
      temperature,
      maxTokens,
      evaluation.problems,
      evaluation.samples,
      fromLabels ? defaults.world : undefined,
      defaults.context,
    ];
  }
  const world = kind === 'world' ? worlds.find((each) => each.id === id) : undefined;
  if (!world) return [];
  const { prompt, answer } = world.longest;
  const context = section(draft.policy).kind === 'new' ? Math.max(usual.context, prompt + answer) : undefined;
  return [undefined, answer > usual.maxTokens ? answer : undefined, undefined, undefined, undefined, context];
}

/** The same by what the method makes: a judge writes nothing, and what samples alone is not evaluated. */
export function settingsOf(
  defaults: ModelDefaults,
  draft: { readonly task: unknown; readonly policy: unknown },
  worlds: Catalogue['worlds'],
  method: Pick<Method, 'produces'> | undefined,
): readonly unknown[] {
  if (!method || method.produces === 'reward') return [];
  const settings = settingsOfPolicy(defaults, draft, worlds);
  return method.produces === 'rows' ? [undefined, settings[1]] : settings;
}
