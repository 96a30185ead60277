import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Services } from '../services/services.ts';

type Lookup = (store: Services['store'], id: string) => Promise<string>;

const checkpoint: Lookup = async (store, id) => {
  const { runName, method, step } = await store.checkpoints.get(id);
  return `${runName || method}, step ${step}`;
};
const model: Lookup = async (store, id) => (await store.models.get(id)).name;

/** Lookups of the name for an id, by the field of a specification that holds it. */
const lookups: Readonly<Record<string, readonly Lookup[]>> = {
  // a reward accepts added models as well as checkpoints
  checkpointId: [checkpoint, model],
  modelId: [model],
  datasetId: [async (store, id) => (await store.datasets.get(id)).name],
  labelSetId: [async (store, id) => (await store.labelSets.get(id)).name],
};

/**
 * The name of what a field of a specification refers to by id; null if the field holds no id. Deleted items
 * are named by the start of their id.
 */
export async function referenceName(
  { store }: Pick<Services, 'store'>,
  path: string,
  id: unknown,
): Promise<string | null> {
  const key = path.slice(path.lastIndexOf('.') + 1);
  if (typeof id !== 'string' || !Object.hasOwn(lookups, key)) return null;
  for (const lookup of lookups[key]) {
    try {
      return await lookup(store, id);
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'not-found') throw error;
    }
  }
  return `${id.slice(0, 8)}…, deleted`;
}
