import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { CurationEvent } from '../../../preload/contract/curation.ts';
import type { Recipe } from '../../../preload/contract/deriving.ts';
import type { StoreClient } from '../../store/client.ts';
import { draw } from './plan.ts';

interface TagInput {
  readonly recipe: Extract<Recipe, { kind: 'sample' }>;
  readonly tag: string;
  readonly author: string;
}

/**
 * Tags the rows of a sample in one step. Null if all have the tag. Throws `invalid-input` for a sample of a
 * version, whose rows may have changed.
 */
export async function tagSample(
  store: StoreClient,
  { recipe, tag, author }: TagInput,
  signal: AbortSignal,
): Promise<CurationEvent | null> {
  const { datasetId, version, query } = recipe.from;
  if (version !== undefined)
    throw new WhetstoneError('invalid-input', 'Tags are put on the rows as they are now.', {
      where: 'version',
      hint: 'Leave the version out, or make a dataset of the sample.',
    });
  await store.curation.settle(datasetId);
  const { draws } = await draw(store, recipe, signal);
  const size = draws.rows.reduce((most, row) => Math.max(most, row + 1), 0);
  const words = new Uint32Array(Math.ceil(size / 32));
  for (const row of draws.rows) words[row >>> 5] |= 1 << (row & 31);
  const selection = { size, words, count: draws.rows.length };
  return await store.curation.mark(datasetId, { event: 'tag', value: tag }, selection, { author, query });
}
