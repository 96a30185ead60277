import { dawidSkene, type DawidSkeneFit } from '../../engine/index.ts';
import type { GoldItem } from '../../preload/contract/quality.ts';
import type { StoreClient } from '../store/client.ts';
import type { LabelFact, Reliability, RepeatFact } from '../store/labels/label-quality.ts';

type QualityQueries = StoreClient['labelQuality'];

async function all<T>(
  page: (after: number) => Promise<{ readonly items: readonly T[]; readonly next: number | null }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let after: number | null = -1; after !== null;) {
    const { items, next }: { readonly items: readonly T[]; readonly next: number | null } = await page(after);
    found.push(...items);
    after = next;
  }
  return found;
}

/** Decisions on the repeats of a set. */
export const repeatsOf = (queries: QualityQueries, setId: string): Promise<RepeatFact[]> =>
  all((after) => queries.repeats(setId, after));

/** The gold items of a set. */
export const goldOf = (queries: QualityQueries, setId: string): Promise<GoldItem[]> =>
  all((after) => queries.gold(setId, after));

/** All current labels of a set, in the order in which they were given, its repeats and gold items. */
export async function factsOf(queries: QualityQueries, setId: string) {
  const about = await queries.about(setId);
  const labels = await all((after) => queries.labels(setId, after));
  // a label that was changed while pages were read is on a later one again
  const current = new Map(labels.map((each) => [`${each.pairId}/${each.labeler}`, each]));
  return {
    ...about,
    labels: labels.filter((each) => current.get(`${each.pairId}/${each.labeler}`) === each),
    repeats: await repeatsOf(queries, setId),
    gold: await goldOf(queries, setId),
  };
}

/** Added to each cell of a confusion matrix, so that a labeler with few labels is never held infallible. */
const SMOOTHING = 0.1;

/** The category of a label; a skip has none. */
export const categoryOf = ({ verdict, value }: Pick<LabelFact, 'verdict' | 'value'>): string | null =>
  verdict === 'skip' ? null : `${verdict}${value ?? ''}`;

/** Labels by item, without skips. */
export const byItem = (labels: readonly LabelFact[]): Map<string, LabelFact[]> =>
  Map.groupBy(
    labels.filter(({ verdict }) => verdict !== 'skip'),
    ({ pairId }) => pairId,
  );

/**
 * True verdicts and reliabilities by Dawid and Skene; null unless two labelers share an item, since agreement
 * is all that tells reliability.
 */
export function reliabilityOf(labels: readonly LabelFact[]): DawidSkeneFit | null {
  if (
    !byItem(labels)
      .values()
      .some(({ length }) => length > 1)
  )
    return null;
  const given = labels.flatMap((fact) => {
    const label = categoryOf(fact);
    return label === null ? [] : [{ item: fact.pairId, labeler: fact.labeler, label }];
  });
  return dawidSkene(given, { smoothing: SMOOTHING, iterations: 500, tolerance: 1e-6 });
}

/**
 * Estimates anew how reliable the labels of a set are, and derives the verdict of each pair by the consensus
 * that the set has chosen. A set with one labeler has nothing to estimate.
 */
export async function settleConsensus({ labels, labelQuality }: StoreClient, setId: string): Promise<void> {
  if ((await labels.labelers(setId)).length < 2) return;
  const facts = await factsOf(labelQuality, setId);
  const fit = facts.mode === 'pair' ? reliabilityOf(facts.labels) : null;
  const reliabilities = (fit?.items ?? []).map(({ item, label, posterior }): Reliability => ({
    pairId: item,
    verdict: label,
    posterior: Object.fromEntries((fit?.labels ?? []).map((name, at) => [name, posterior[at]])),
  }));
  await labelQuality.settle(setId, reliabilities, facts.labels.at(-1)?.sequence ?? 0);
}
