import type { PlannedRunNode } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { StoreClient } from '../store/client.ts';

/** Each id of a specification that names a thing of the workspace, not what a node makes; with its path. */
function* literalIds(
  value: unknown,
  path: string,
): Generator<readonly [key: string, id: string, path: string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}.${key}`;
    if (typeof item === 'string' && ['checkpointId', 'modelId', 'datasetId'].includes(key))
      yield [key, item, at];
    else yield* literalIds(item, at);
  }
}

/** Throws `not-found` with the path of the first id of a node that is not in the workspace. */
export async function requireInputs(
  store: StoreClient,
  { where, spec, pull }: Pick<PlannedRunNode, 'where' | 'spec' | 'pull'>,
): Promise<void> {
  const specs = pull
    ? pull.arms.map((arm, at) => ({ at: `${where}.candidates.${at}.spec`, spec: arm.spec }))
    : [{ at: `${where}.spec`, spec }];
  for (const each of specs)
    for (const [key, id, path] of literalIds(each.spec, each.at))
      await within(path, async () => {
        if (key === 'datasetId') await store.datasets.get(id);
        // a reward may use a model folder as well as a checkpoint
        else if (!(await store.models.find(id))) await store.checkpoints.get(id);
      });
}

/** Gives an error this path, in place of an id or without one; a field of `spec` stays its end. */
export async function within<T>(where: string, act: () => Promise<T>, spec: object = {}): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { kind, message, hint, where: field } = WhetstoneError.from(error);
    if (field?.startsWith(where)) throw error;
    const isField = field !== undefined && field.split('.')[0] in spec;
    throw new WhetstoneError(kind, message, {
      where: isField ? `${where}.${field}` : where,
      hint,
      cause: error,
    });
  }
}
