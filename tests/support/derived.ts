import type { DerivingProgress, Recipe } from '../../preload/contract/deriving.ts';
import { SplitSpec } from '../../preload/contract/splits.ts';
import { makeDataset } from '../../main/services/deriving/make.ts';
import type { StoreClient } from '../../main/store/client.ts';

/** Makes a dataset by a recipe; returns its id. */
export async function madeBy(store: StoreClient, recipe: Recipe, name = 'made'): Promise<string> {
  const seen: DerivingProgress[] = [];
  await makeDataset(store, { recipe, name, author: 'me' }, new AbortController().signal, (progress) =>
    seen.push(progress),
  );
  const last = seen.at(-1);
  if (last?.state !== 'done') throw new Error('the dataset was not made');
  return last.dataset.id;
}

/** A dataset of the right answers of another one. */
export const derivedForTest = (store: StoreClient, datasetId: string): Promise<string> =>
  madeBy(store, { kind: 'query', from: { datasetId, query: 'right' }, marks: false }, 'right answers');

/** Splits a dataset into `first` and `second`. */
export async function splitForTest(store: StoreClient, datasetId: string): Promise<void> {
  const spec = SplitSpec.parse({
    parts: [
      { name: 'first', weight: 1 },
      { name: 'second', weight: 1 },
    ],
  });
  await store.splits.apply(datasetId, spec, await store.splits.assign(datasetId, spec), 'me');
}
