import type { Dataset } from '../../../../preload/contract/datasets.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { LabelSet } from '../../../../preload/contract/labels.ts';
import type { Model } from '../../../../preload/contract/models.ts';
import type { Checkpoint, Run } from '../../../../preload/contract/runs.ts';
import type { DeviceInfo } from '../../../../preload/contract/system.ts';
import { compact, count, dateTime, distinct } from '../../../lib/format.ts';
import { actsInControl, judges, type Catalogue, type Method } from '../../../lib/methods.ts';
import { specsFrom, type SpecOf } from '../../../lib/line.ts';
import { allOf } from '../../../lib/pages.ts';
import type { Choice } from './context.ts';

export type { Catalogue };
/**
 * Everything that a specification may refer to: methods, rewards and worlds, and the contents of this
 * workspace.
 */
export interface Stock {
  readonly catalogue: Catalogue;
  readonly checkpoints: readonly Checkpoint[];
  readonly models: readonly Model[];
  readonly datasets: readonly Dataset[];
  readonly labelSets: readonly LabelSet[];
  /** Runs that left checkpoints; a run that continues one learns the same by default. */
  readonly runs: readonly (Pick<Run, 'id' | 'spec'> & Partial<Pick<Run, 'state' | 'outcome'>>)[];
}

const newest = <T extends { readonly createdAt: number }>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => b.createdAt - a.createdAt);

/** The specifications behind checkpoints. */
export const specOfCheckpoint = ({ checkpoints, runs }: Pick<Stock, 'checkpoints' | 'runs'>): SpecOf =>
  specsFrom(checkpoints, (runId) => runs.find(({ id }) => id === runId)?.spec);

/** Checkpoints of models that read text, and not of networks in control worlds. */
export const textCheckpoints = ({
  catalogue,
  checkpoints,
}: Pick<Stock, 'catalogue' | 'checkpoints'>): readonly Checkpoint[] =>
  checkpoints.filter(({ method }) => !actsInControl(catalogue, method));

/** The schema of a specification with only those devices that a run may use. */
export function withDevices(
  spec: Catalogue['spec'],
  devices: readonly Pick<DeviceInfo, 'id' | 'title' | 'state'>[],
): Catalogue['spec'] {
  const { properties = {} } = spec as { properties?: Readonly<Record<string, { description?: string }>> };
  const usable = devices.filter(({ state }) => state === 'works' || state === 'unchecked');
  const missing = devices.filter(({ state }) => state === 'missing').map(({ title }) => title);
  const hint = missing.length
    ? ` Not installed: ${missing.join(', ')}; Settings shows how to install it.`
    : '';
  const device = {
    ...properties.device,
    enum: usable.map(({ id }) => id),
    description: `${properties.device?.description ?? ''}${hint}`,
  };
  return { ...spec, properties: { ...properties, device } };
}

export async function loadStock(
  client: Pick<WhetstoneClient, 'runs' | 'models' | 'datasets' | 'labels' | 'system'>,
): Promise<Stock> {
  const [catalogue, devices, checkpoints, models, datasets, labelSets, runs, archived] = await Promise.all([
    client.runs.catalogue({}),
    client.system.devices({}),
    allOf((page) => client.runs.checkpoints(page)),
    allOf((page) => client.models.list(page)),
    allOf((page) => client.datasets.list(page)),
    allOf((page) => client.labels.sets(page)),
    allOf((page) => client.runs.list(page)),
    allOf((page) => client.runs.list({ ...page, archived: true })),
  ]);
  return {
    catalogue: { ...catalogue, spec: withDevices(catalogue.spec, devices) },
    checkpoints: newest(checkpoints),
    models: newest(models),
    datasets: newest(datasets),
    labelSets: newest(labelSets),
    runs: [...runs, ...archived],
  };
}

const checkpointLabel = ({ runName, step, method }: Checkpoint): string =>
  `${runName || method}, step ${count(step)}`;
/** Checkpoints by run and step; those of runs with one name also by their time. */
function checkpointChoices(checkpoints: readonly Checkpoint[]): readonly Choice[] {
  const labels = distinct(checkpoints, checkpointLabel, ({ createdAt }) => dateTime(createdAt));
  return checkpoints.map(({ id }, at) => ({ value: id, label: labels[at] }));
}
const modelChoice = ({ id, name, parameters }: Model): Choice => ({
  value: id,
  label: `${name} (${compact(parameters)} parameters)`,
});

/** The control worlds in which a method can act: by choices, or by numbers. */
export const controlChoices = (
  { controlWorlds }: Pick<Catalogue, 'controlWorlds'>,
  method: Pick<Method, 'actions'> | undefined,
): readonly Choice[] =>
  controlWorlds
    .filter(({ actions }) => !method?.actions || actions === method.actions)
    .map(({ id, title }) => ({ value: id, label: title }));

/**
 * Options of this workspace for a key, or null for free text. A reward gets reward models, or policies if it
 * reads a policy's log-probabilities; every other field gets models that generate text. `at`: the value at a
 * path.
 */
export function choicesOf(
  { catalogue, checkpoints, models, datasets, labelSets }: Stock,
  key: string,
  path: readonly string[],
  at: (path: readonly string[]) => unknown,
): readonly Choice[] | null {
  const isScorer = path.includes('rewards') || path.includes('scorer');
  const reward = isScorer ? at([...path.slice(0, path.lastIndexOf('params')), 'id']) : null;
  const readsPolicy = catalogue.rewards.some(({ id, needs }) => id === reward && needs.includes('policy'));
  const needsJudge = reward !== null && !readsPolicy;
  const method = at(['method', 'id']);
  const isNetwork = typeof method === 'string' && actsInControl(catalogue, method);
  const suits = (each: Checkpoint) =>
    actsInControl(catalogue, each.method) === isNetwork &&
    (needsJudge
      ? judges(catalogue, each)
      : each.head === 'next-token' && !(readsPolicy && judges(catalogue, each)));
  const added = models.filter(({ head }) => head === (needsJudge ? 'reward' : 'next-token'));
  switch (key) {
    case 'id':
      return path.join('.') === 'task.id'
        ? controlChoices(
            catalogue,
            catalogue.methods.find(({ id }) => id === method),
          )
        : null;
    // a reward accepts added models as well as checkpoints
    case 'checkpointId':
      return [
        ...checkpointChoices(checkpoints.filter(suits)),
        ...(reward === null ? [] : added.map(modelChoice)),
      ];
    case 'modelId':
      return added.map(modelChoice);
    case 'datasetId':
      return datasets.map(({ id, name, rows }) => ({ value: id, label: `${name} (${count(rows)} rows)` }));
    case 'version':
    case 'trainPart':
    case 'heldoutPart':
    case 'part': {
      const dataset = datasets.find(({ id }) => id === at([...path.slice(0, -1), 'datasetId']));
      const names = (key === 'version' ? dataset?.versions : dataset?.parts) ?? [];
      return names.map((name) => ({ value: name, label: name }));
    }
    case 'role':
      return catalogue.methods
        .filter(({ id }) => id === at(['method', 'id']))
        .flatMap(({ roles }) => roles.filter(({ writes }) => writes))
        .map(({ name }) => ({ value: name, label: name }));
    case 'labelSetId':
      return labelSets.map(({ id, name, decided }) => ({
        value: id,
        label: `${name} (${count(decided)} decided)`,
      }));
    default:
      return null;
  }
}
