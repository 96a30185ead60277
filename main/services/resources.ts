import { resolve } from 'node:path';
import { datasetFormatOf, evaluatedDatasetsOf } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { BaseRef, Resources } from '../../engine/schema/messages.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Resolve } from '../engine-host/queue.ts';
import { requireDemand } from './judge-demand.ts';
import { settleConsensus } from './label-consensus.ts';
import { frozenOnce } from './frozen-versions.ts';
import { openedModel, type ModelSources } from './opened-model.ts';
import { withCopy } from './deriving/sources.ts';
import { stateOf } from './deriving/states.ts';
import type { StoreClient } from '../store/client.ts';
import type { RunInput } from '../store/runs.ts';
import type { RunParts } from '../store/sides.ts';

export interface ResourceSources extends ModelSources {
  readonly store: StoreClient;
  /** The workspace's folder. */
  readonly folder: string;
}

/**
 * Every value under one of these keys with its path, anywhere in the spec: in the models, in a reward's
 * parameters.
 */
function* valuesOf(
  node: unknown,
  keys: readonly string[],
  path = '',
): Generator<readonly [value: string, path: string]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (keys.includes(name) && typeof value === 'string') yield [value, at];
    else yield* valuesOf(value, keys, at);
  }
}

/** Adds the path of the field to errors about missing or empty inputs. */
const named = async <T>(where: string, id: string, lookup: Promise<T>): Promise<T> => {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof WhetstoneError && error.where === id)
      throw new WhetstoneError(error.kind, error.message, { where, hint: error.hint, cause: error });
    throw error;
  }
};

/**
 * Resolves the inputs of a spec: checkpoints and models by their hash, datasets (also those of further
 * evaluations) and labels at their present state, written to files named by content hash. Throws `not-found`
 * with the field whose id is not in the workspace, `invalid-input` for labels or a dataset without the rows
 * that are asked for, `conflict` for a model whose folder has changed, or for a judge that does not meet the
 * spec's demands.
 */
export async function freezeInputs(sources: ResourceSources, spec: RunSpec): Promise<RunInput[]> {
  const { store, engine } = sources;
  const inputs: RunInput[] = [];
  // if several fields name the same one, the first is reported
  for (const [ref, where] of new Map([...valuesOf(spec, ['checkpointId', 'modelId'])].toReversed())) {
    // a reward may use a model folder as well as a checkpoint: the lookup tells which one an id is
    const model = await store.models.find(ref);
    if (model)
      inputs.push({
        kind: 'model',
        ref,
        hash: (await openedModel({ store, engine }, ref)).hash,
        artifact: model.folder,
      });
    else if (Object.values(spec.models).some((source) => source.kind === 'model' && source.modelId === ref))
      await named(where, ref, store.models.get(ref));
    else {
      const { hash, path } = await named(where, ref, store.checkpoints.get(ref));
      inputs.push({ kind: 'checkpoint', ref, hash, artifact: path });
    }
  }
  await requireDemand(store, spec, inputs);
  if (spec.task.kind === 'dataset') inputs.push(await freezeTask(sources, spec, spec.task));
  if (spec.task.kind === 'labels') {
    const ref = spec.task.labelSetId;
    await named('task.labelSetId', ref, settleConsensus(store, ref));
    const { hash, path } = await named('task.labelSetId', ref, store.labelSets.exportPreferences(ref));
    inputs.push({ kind: 'label-set', ref, hash, artifact: path });
  }
  for (const one of evaluatedDatasetsOf(spec)) inputs.push(await freezeEvaluated(sources, spec, one));
  return inputs;
}

/** Rows of a dataset, or of one of its versions, in a format that the engine reads. */
interface Wanted {
  readonly ref: string;
  readonly version?: string;
  readonly parts: RunParts;
  readonly format: ReturnType<typeof datasetFormatOf>;
  /** Paths of the fields that name the dataset and the version. */
  readonly where: { readonly dataset: string; readonly version: string };
}

type DatasetTask = Extract<RunSpec['task'], { kind: 'dataset' }>;
const partsOf = ({ trainPart, heldoutPart }: DatasetTask): RunParts => ({
  train: trainPart ?? null,
  heldout: heldoutPart ?? null,
});

/** Writes the rows that a run trains on. */
const freezeTask = (sources: ResourceSources, spec: RunSpec, task: DatasetTask): Promise<RunInput> =>
  freezeDataset(sources, {
    ref: task.datasetId,
    version: task.version,
    parts: partsOf(task),
    format: datasetFormatOf(spec),
    where: { dataset: 'task.datasetId', version: 'task.version' },
  });

/**
 * Writes the rows that a further evaluation measures: of its part, else all. Those of the run's own dataset keep
 * their sides, since only the held-out ones are measured.
 */
const freezeEvaluated = async (
  sources: ResourceSources,
  { task }: RunSpec,
  {
    name,
    where,
    datasetId,
    version,
    part,
    isHeldout,
    format,
  }: ReturnType<typeof evaluatedDatasetsOf>[number],
): Promise<RunInput> => {
  const frozen = freezeDataset(sources, {
    ref: datasetId,
    version,
    parts: isHeldout && task.kind === 'dataset' ? partsOf(task) : { train: part ?? null, heldout: null },
    format,
    where: { dataset: `${where}.datasetId`, version: `${where}.version` },
  });
  const { kind, ref, hash, artifact } = await named(`${where}.part`, 'task.trainPart', frozen);
  return { kind, ref, hash, artifact, evaluation: name };
};

/** Writes the rows of a dataset, or of one of its versions, with the state that they are from. */
async function freezeDataset(
  { store, folder }: ResourceSources,
  { ref, version, parts, format, where }: Wanted,
): Promise<RunInput> {
  const write = async (id: string) => {
    if (format !== 'preferences') return await store.datasets.exportDemonstrations(id, parts);
    // pairs are found by prompt, which a copy in the making is not yet
    if (id !== ref) await store.deriving.findable(id);
    return await store.datasets.exportPreferences(id, parts);
  };
  const freeze = async (): Promise<RunInput> => {
    const data = await stateOf(store, ref, version);
    const newest = async (): Promise<number> => (await store.deriving.state(ref, null)).sequence;
    const now = await newest();
    if (version !== undefined && now !== data.sequence) {
      const at = { id: ref, sequence: data.sequence };
      const key = [at, now, format, parts];
      const { hash, path } = await frozenOnce({ store, folder }, key, () =>
        withCopy(store, at, new AbortController().signal, write),
      );
      return { kind: 'dataset', ref, hash, artifact: path, data };
    }
    const { hash, path } = await write(ref);
    if ((await newest()) !== data.sequence)
      throw new WhetstoneError('conflict', 'The rows were changed while they were read.', {
        where: ref,
        hint: 'Start the run again.',
      });
    return { kind: 'dataset', ref, hash, artifact: path, data };
  };
  if (version === undefined) return await named(where.dataset, ref, freeze());
  await named(where.dataset, ref, store.datasets.get(ref));
  return await named(where.version, version, freeze());
}

/** The files of a run's ids, in the engine's format. */
export const resourcesOf =
  (sources: ResourceSources): Resolve =>
  async (run, inputs) =>
    resourcesFor(sources, inputs, run.id);

/** Opens models, each checked against the run's inputs. */
async function modelsOf(
  sources: ResourceSources,
  inputs: readonly RunInput[],
): Promise<NonNullable<Resources['models']>> {
  const models: Record<string, { hash: string; base?: BaseRef }> = {};
  for (const { kind, ref, hash, artifact } of inputs) {
    if (kind !== 'model') continue;
    const { base, ...opened } = await openedModel(sources, ref);
    if (opened.hash !== hash)
      throw new WhetstoneError(
        'conflict',
        'The run was made from other files than this model folder holds.',
        {
          where: artifact ?? ref,
          hint: 'Launch the run anew: its earlier measurements could not be reproduced.',
        },
      );
    models[ref] = { hash, ...(base && { base }) };
  }
  return models;
}

/** The files of inputs that belong to no run yet; `where` names them in messages. */
export const resourcesFor = async (
  sources: ResourceSources,
  inputs: readonly RunInput[],
  where: string,
): Promise<Resources> => {
  const fileOf = ({ kind, ref, artifact }: RunInput): string => {
    if (artifact === null)
      throw new WhetstoneError('not-found', `The file of ${kind} ${ref} is not kept.`, { where });
    return resolve(sources.folder, artifact);
  };
  const files = (of: RunInput['kind']): Record<string, string> =>
    Object.fromEntries(
      inputs
        .filter(({ kind, evaluation }) => kind === of && evaluation === undefined)
        .map((input) => [input.ref, fileOf(input)]),
    );
  const evaluations = Object.fromEntries(
    inputs.flatMap((input) => (input.evaluation === undefined ? [] : [[input.evaluation, fileOf(input)]])),
  );
  const models = await modelsOf(sources, inputs);
  const features = resolve(sources.folder, 'artifacts', 'features');
  return {
    features,
    checkpoints: { ...files('checkpoint'), ...files('model') },
    ...(Object.keys(models).length > 0 && { models }),
    datasets: files('dataset'),
    ...(Object.keys(evaluations).length > 0 && { evaluations }),
    preferences: files('label-set'),
  };
};
