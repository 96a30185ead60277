import { resolve } from 'node:path';
import { methods } from '../engine/index.ts';
import { WhetstoneError } from '../engine/schema/errors.ts';
import type { Resources } from '../engine/schema/messages.ts';
import type { RunSpec } from '../engine/schema/run-spec.ts';
import type { Resolve } from './engine-host/queue.ts';
import type { StoreClient } from './store/client.ts';
import { readableSpec } from './store/run-states.ts';
import type { RunInput } from './store/runs.ts';

/** Every value under a key of this name, wherever it stands in the spec: in the models, in a reward's parameters. */
function* valuesOf(node: unknown, key: string): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === key && typeof value === 'string') yield value;
    else yield* valuesOf(value, key);
  }
}

/**
 * What the spec is made from: checkpoints and models by their hash, datasets and labels as they are now, written to files named by content hash.
 * Throws `not-found` with the id that is not in the workspace, `invalid-input` for labels or a dataset that give nothing to learn from.
 */
export async function freezeInputs(store: StoreClient, spec: RunSpec): Promise<RunInput[]> {
  const inputs: RunInput[] = [];
  for (const ref of new Set([...valuesOf(spec, 'checkpointId'), ...valuesOf(spec, 'modelId')])) {
    // a reward may ask a model of a folder as well as a checkpoint: ids of both are told apart by where they are found
    const model = await store.models.find(ref);
    if (model) inputs.push({ kind: 'model', ref, hash: model.hash, artifact: model.folder });
    else if (spec.models.policy.kind === 'model' && spec.models.policy.modelId === ref) await store.models.get(ref);
    else {
      const { hash, path } = await store.checkpoints.get(ref);
      inputs.push({ kind: 'checkpoint', ref, hash, artifact: path });
    }
  }
  if (spec.task.kind === 'dataset') {
    const ref = spec.task.datasetId;
    const { hash, path } = await (learnsFromPairs(spec) ? store.datasets.exportPreferences(ref) : store.datasets.exportDemonstrations(ref));
    inputs.push({ kind: 'dataset', ref, hash, artifact: path });
  }
  if (spec.task.kind === 'labels') {
    const ref = spec.task.labelSetId;
    const { hash, path } = await store.labelSets.exportPreferences(ref);
    inputs.push({ kind: 'label-set', ref, hash, artifact: path });
  }
  return inputs;
}

const learnsFromPairs = (spec: RunSpec): boolean => methods.find((m) => m.id === spec.method.id)?.task === 'preferences';

/** The files behind a run's ids, as the engine asks for them. */
export const resourcesOf = (folder: string): Resolve => async (run, inputs) => resourcesFor(folder, readableSpec(run), inputs, run.id);

/** The same for a specification that is no run yet; `where` names it in messages. */
export const resourcesFor = (folder: string, spec: RunSpec, inputs: readonly RunInput[], where: string): Resources => {
  const files = (kind: RunInput['kind']): Record<string, string> => Object.fromEntries(inputs.filter((i) => i.kind === kind).map((i) => {
    if (i.artifact === null) throw new WhetstoneError('not-found', `The file of ${i.kind} ${i.ref} is not kept.`, { where });
    return [i.ref, resolve(folder, i.artifact)];
  }));
  const datasets = files('dataset');
  const pairs = learnsFromPairs(spec);
  return { checkpoints: { ...files('checkpoint'), ...files('model') }, datasets: pairs ? {} : datasets, preferences: { ...files('label-set'), ...(pairs && datasets) } };
};
