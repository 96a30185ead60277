/** Forecasts the loss of an adaptation before training, from the distance of its data to the start's. */
import { leastSquaresLine, spearman } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { TextSource } from '../../engine/schema/distance.ts';
import type { TextToRead } from '../../engine/schema/messages.ts';
import type { Forecast, ForecastTarget } from '../../preload/contract/inheritance.ts';
import { placeOf } from '../services/opened-model.ts';
import type { Services } from '../services/services.ts';
import { inheritanceOf, knownFamily, type KnownFamily } from './inheritance.ts';
import { finalCheckpointOf } from './pulled.ts';

/** Texts of each source that are compared. */
const TEXTS = 256;
/** Places of a dataset from which they come. */
const PAGES = 8;

/**
 * Distances of a plan's tasks, and of other data, from the data of the start; for each recipe how well they
 * rank its losses, and what is to be expected of the target. Null for a plan without a family. Throws
 * `invalid-input` if its start is not done.
 */
export async function forecastOf(
  services: Services,
  id: string,
  target: ForecastTarget | null,
): Promise<Forecast | null> {
  const family = await knownFamily(services, id);
  if (family === null) return null;
  const start = family.nodes.get(family.start.id);
  const checkpoint = start?.runId ? await finalCheckpointOf(services.store, start.runId) : undefined;
  if (checkpoint === undefined)
    throw refused('The start of this plan is not trained yet.', 'Wait until it is done.');
  const { folder, base } = await placeOf(services, { kind: 'checkpoint', id: checkpoint });
  const sources = await Promise.all(family.tasks.map((_task, at) => taskSource(services, family, at)));
  const asked = target === null ? [] : [await targetSource(services, family, target)];
  const from = await sourceOf(services, family.start.spec.task, 'task');
  const found = await services.engine.call('dataDistances', {
    folder,
    ...(base && { base }),
    from,
    to: [...sources, ...asked],
    texts: TEXTS,
    seed: family.start.checked.seed,
  });
  const distances = found.slice(0, sources.length);
  const at = found.at(sources.length) ?? null;
  const { recipes } = inheritanceOf(family);
  const isOnStart = recipes.some(({ tasks }) => tasks.some(({ onStart }) => onStart !== null));
  return {
    distances,
    of: isOnStart ? 'start' : 'others',
    target: at,
    recipes: recipes.map(({ name, tasks }) => ({
      name,
      ...fitted(
        tasks.map(({ onStart, retention }) => (isOnStart ? onStart : retention)),
        distances,
        at,
      ),
    })),
  };
}

/** How well distances rank the losses, and the line through the changes. */
function fitted(
  changes: readonly (number | null)[],
  distances: readonly number[],
  target: number | null,
): Omit<Forecast['recipes'][number], 'name'> {
  const points = changes.flatMap((change, at) =>
    change === null ? [] : [{ distance: distances[at], change }],
  );
  const xs = points.map(({ distance }) => distance);
  const correlation =
    points.length > 2
      ? spearman(
          xs,
          points.map(({ change }) => -change),
        )
      : Number.NaN;
  const line =
    points.length > 1
      ? leastSquaresLine(
          xs,
          points.map(({ change }) => change),
        )
      : null;
  return {
    correlation: Number.isNaN(correlation) ? null : correlation,
    line,
    predicted: line && target !== null ? line.intercept + line.slope * target : null,
  };
}

/** What the runs of a task train on. */
const taskSource = (services: Services, family: KnownFamily, at: number): Promise<TextSource> => {
  const member = family.members.find(({ task }) => task === at);
  return sourceOf(services, member ? member.node.spec.task : family.tasks[at], `evaluations.${at}`);
};

async function targetSource(
  services: Services,
  family: KnownFamily,
  target: ForecastTarget,
): Promise<TextSource> {
  if ('world' in target) return target;
  if ('datasetId' in target) return await sourceOf(services, target, 'target');
  const at = family.tasks.findIndex(({ name }) => name === target.task);
  if (at < 0)
    throw refused(
      `The plan has no task '${target.task}'.`,
      `There are ${family.tasks.map(({ name }) => name).join(', ')}.`,
    );
  return await taskSource(services, family, at);
}

/** The texts of a run's task, or of what a further evaluation measures. */
async function sourceOf({ store }: Services, task: unknown, where: string): Promise<TextSource> {
  const { id, params, world, datasetId } = task as {
    readonly id?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly world?: { readonly id: string; readonly params?: Readonly<Record<string, unknown>> };
    readonly datasetId?: unknown;
  };
  if (world) return { world: { id: world.id, params: world.params ?? {} } };
  if (typeof datasetId === 'string') return { texts: await textsAcross(store, datasetId) };
  if (id !== undefined) return { world: { id, params: params ?? {} } };
  throw new WhetstoneError('invalid-input', 'The texts of this task are not known before its plan has run.', {
    where,
    hint: 'Use a world, or an imported dataset.',
  });
}

/**
 * Texts from all over a dataset, whose rows are often in the order of their source or level; those that are
 * not excluded, as a run trains on them.
 */
export async function textsAcross(
  { datasets, exporting }: Pick<Services['store'], 'datasets' | 'exporting'>,
  id: string,
): Promise<TextToRead[]> {
  const { rows: total } = await datasets.get(id);
  const places = Array.from({ length: PAGES + 1 }, (_, at) => Math.floor((at * total) / PAGES));
  const pages = await Promise.all(places.slice(0, -1).map((place) => exporting.rows(id, place - 1)));
  return pages.flatMap(({ items }, at) =>
    items
      .filter(({ row }) => row < places[at + 1])
      .slice(0, TEXTS / PAGES)
      .map(({ prompt, answer }) => ({ prompt, answer })),
  );
}

const refused = (message: string, hint: string): WhetstoneError =>
  new WhetstoneError('invalid-input', message, { where: 'id', hint });
