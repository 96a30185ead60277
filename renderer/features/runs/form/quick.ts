import { actsInControl, taskKindOf, type Method } from '../../../lib/methods.ts';
import type { Choice } from './context.ts';
import type { Draft } from './draft.svelte.ts';
import type { Goal } from './goals.ts';
import { startCheckpoint, stockFor } from './model-defaults.ts';
import type { Offers } from './offers.ts';
import { probed } from './probing.ts';
import { modelsNeeded } from './role-fields.ts';
import { contextFor, datasetOf } from './references.ts';
import { choicesOf, controlChoices, type Stock } from './stock.ts';

/** Where the policy starts. */
export const policyPath = ['models', 'policy'];

type Section = Readonly<Record<string, unknown>> | undefined;

/** Choices of one kind in a list of several kinds. `key` holds the id in the specification. */
export interface QuickGroup {
  readonly kind: string;
  readonly title: string;
  readonly choices: readonly Choice[];
}
export interface QuickValue {
  readonly kind: string;
  readonly id: string;
}

const keys: Readonly<Record<string, string>> = {
  world: 'id',
  dataset: 'datasetId',
  labels: 'labelSetId',
  control: 'id',
  checkpoint: 'checkpointId',
  model: 'modelId',
};

/** The kind and id of a task or a model source. */
export const quickValue = (section: Section): QuickValue => {
  const kind = String(section?.kind ?? '');
  return { kind, id: String(section?.[keys[kind] ?? ''] ?? '') };
};

/** Everything that the method can learn from with a policy, in the order of its preference. */
export function dataGroups(all: Stock, method: Method | undefined, policy?: unknown): readonly QuickGroup[] {
  const kind = taskKindOf(all.catalogue, method);
  const stock = probed(stockFor(all, kind), method, policy);
  const of = (key: string): readonly Choice[] => choicesOf(stock, key, [key], () => undefined) ?? [];
  const groups: readonly QuickGroup[] = [
    {
      kind: 'world',
      title: 'Built-in worlds',
      choices: stock.catalogue.worlds.map(({ id, title }) => ({ value: id, label: title })),
    },
    { kind: 'dataset', title: 'Datasets', choices: of('datasetId') },
    { kind: 'labels', title: 'Label sets', choices: of('labelSetId') },
    { kind: 'control', title: 'Control worlds', choices: controlChoices(stock.catalogue, method) },
  ];
  const offered: readonly string[] = kind?.offeredBy ?? [];
  return offered.flatMap((source) =>
    groups.filter((group) => group.kind === source && group.choices.length > 0),
  );
}

/** Everything that a run of a method can start from: models on text, or networks in control worlds. */
export function startGroups(stock: Stock, method?: Method): readonly QuickGroup[] {
  const at = (path: readonly string[]) => (path.join('.') === 'method.id' ? method?.id : undefined);
  const of = (key: string): readonly Choice[] => choicesOf(stock, key, ['models', key], at) ?? [];
  const isNetwork = actsInControl(stock.catalogue, method?.id);
  const groups: readonly QuickGroup[] = [
    isNetwork
      ? { kind: 'network', title: 'Random weights', choices: [{ value: '', label: 'New small network' }] }
      : { kind: 'new', title: 'Random weights', choices: [{ value: '', label: 'New small model' }] },
    { kind: 'checkpoint', title: 'Checkpoints', choices: of('checkpointId') },
    { kind: 'model', title: 'Added models', choices: isNetwork ? [] : of('modelId') },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

/** The task of a quick choice. */
export const taskOf = ({ kind, id }: QuickValue): Record<string, unknown> => ({ kind, [keys[kind]]: id });

/** The model source of a quick choice; a new model gets a context and a tokenizer that suit the data. */
export function startOf({ kind, id }: QuickValue, stock: Stock, task: Section): Record<string, unknown> {
  if (kind === 'network') return { kind };
  if (kind !== 'new') return { kind, [keys[kind]]: id };
  const dataset = datasetOf(task, stock.datasets);
  if (dataset || task?.kind === 'labels')
    return {
      kind,
      architecture: dataset ? { context: contextFor(dataset.doctor) } : {},
      tokenizer: { kind: 'bytes' },
    };
  const { policy } = stock.catalogue.recommended.base.models as { policy: Record<string, unknown> };
  return structuredClone(policy);
}

/** True if a method can train a model: networks act in control worlds, all others read text. */
export function suits(method: Method | undefined, policy: unknown, stock: Stock): boolean {
  const { kind, checkpointId } = (policy ?? {}) as {
    readonly kind?: unknown;
    readonly checkpointId?: unknown;
  };
  const checkpoint = stock.checkpoints.find(({ id }) => id === checkpointId);
  // a checkpoint that is not known is judged by the check
  if (kind === undefined || (kind === 'checkpoint' && !checkpoint)) return true;
  const isNetwork =
    kind === 'network' || (kind === 'checkpoint' && actsInControl(stock.catalogue, checkpoint?.method));
  return isNetwork === actsInControl(stock.catalogue, method?.id);
}

/** The usual start of a goal: random weights for a base and for a network, else the newest policy. */
export function startOfGoal(goal: Goal['id'] | undefined, stock: Stock): unknown {
  if (goal === 'control') return { kind: 'network' };
  const checkpointId = goal === 'base' ? undefined : startCheckpoint(stock);
  return checkpointId === undefined
    ? (stock.catalogue.recommended.base.models as { policy: unknown }).policy
    : { kind: 'checkpoint', checkpointId };
}

/** Offers a model for each role that needs one: the newest checkpoint, or the policy's own start. */
export function offerRoleModels(
  method: Method | undefined,
  draft: Draft,
  offers: Offers,
  stock: Stock,
): void {
  const needed = modelsNeeded(method);
  const models = (draft.plain().models ?? {}) as Readonly<Record<string, unknown>>;
  const newest = startGroups(stock, method).find(({ kind }) => kind === 'checkpoint')?.choices[0];
  for (const name of needed)
    if (models[name] === undefined)
      offers.set(
        ['models', name],
        newest ? { kind: 'checkpoint', checkpointId: newest.value } : models.policy,
      );
}
