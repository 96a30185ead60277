import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { DatasetState, DerivingProgress, Recipe } from '../../../preload/contract/deriving.ts';
import type { StoreClient } from '../../store/client.ts';
import { draw, sourcesOf, type Drawn } from './plan.ts';
import { cancelled } from './sources.ts';
import { stateOf } from './states.ts';

type Copying = Extract<DerivingProgress, { state: 'copying' }>;
export type OnCopying = (progress: Copying) => void;

/** Rows of one call of the store, between which progress is reported. */
const some = 2000;

const kinds = { query: 'query', sample: 'sample', mixture: 'mixture' } as const;

/** Copies drawn rows into a dataset in the making. Throws `cancelled` if the signal aborts. */
export async function copyRows(
  store: StoreClient,
  id: string,
  { sources, draws, keep }: Drawn,
  signal: AbortSignal,
  onCopying: OnCopying,
): Promise<void> {
  const total = draws.rows.length;
  const parents = sources.map(({ datasetId, sequence }) => ({ id: datasetId, sequence }));
  const start = performance.now();
  for (let at = 0; at < total; at += some) {
    if (signal.aborted) throw cancelled();
    const part = { from: draws.from.slice(at, at + some), rows: draws.rows.slice(at, at + some) };
    await store.deriving.copy(id, parents, part, keep);
    const done = Math.min(total, at + some);
    const seconds = (performance.now() - start) / 1000;
    onCopying({
      state: 'copying',
      done,
      total,
      secondsLeft: seconds > 0.5 ? (seconds / done) * (total - done) : null,
    });
  }
  if (signal.aborted) throw cancelled();
}

/** The states of the sources of a recipe, as they were read. */
async function parentsOf(
  store: StoreClient,
  recipe: Recipe,
  { sources }: Drawn,
): Promise<readonly DatasetState[]> {
  const wanted = sourcesOf(recipe);
  const states: DatasetState[] = [];
  for (const [at, { datasetId, sequence }] of sources.entries()) {
    const state = await stateOf(store, datasetId, wanted[at].version);
    if (state.sequence !== sequence)
      throw new WhetstoneError('conflict', 'The rows were changed while they were read.', {
        where: state.name,
        hint: 'Try it again.',
      });
    states.push(state);
  }
  return states;
}

/**
 * Makes a dataset by a recipe, whole or not at all. Throws `invalid-input` if it takes no row or a column
 * is missing, `cancelled` if the signal aborts.
 */
export async function makeDataset(
  store: StoreClient,
  { recipe, name, author }: { readonly recipe: Recipe; readonly name: string; readonly author: string },
  signal: AbortSignal,
  push: (progress: DerivingProgress) => void,
): Promise<void> {
  const drawn = await draw(store, recipe, signal);
  const { rows } = drawn.plan;
  if (rows === 0)
    throw new WhetstoneError('invalid-input', 'No row matches, so there is no dataset to make.', {
      where: kinds[recipe.kind],
      hint: 'Change the query, or take more rows.',
    });
  push({ state: 'copying', done: 0, total: rows, secondsLeft: null });
  const parents = await parentsOf(store, recipe, drawn);
  if (signal.aborted) throw cancelled();
  const id = await store.deriving.stage(name, await sourceText(store, drawn));
  try {
    await copyRows(store, id, drawn, signal, push);
    const why = `${kinds[recipe.kind]} of ${parents.map((parent) => parent.name).join(', ')}`;
    const dataset = await store.deriving.finish(id, { recipe, parents, why, author });
    push({ state: 'done', dataset });
  } catch (error) {
    await store.deriving.discard(id);
    throw error;
  }
}

/** The file whose lines the rows still name; of several sources, their names. */
async function sourceText(store: StoreClient, { sources }: Drawn): Promise<string> {
  if (sources.length === 1) return (await store.datasets.get(sources[0].datasetId)).source;
  return `mixture of ${sources.map(({ name }) => name).join(', ')}`;
}
