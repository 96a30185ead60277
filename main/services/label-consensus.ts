import { dawidSkene, type DawidSkeneFit } from '../../engine/index.ts';
import type { StoreClient } from '../store/client.ts';
import type { LabelFact, Reliability } from '../store/label-quality.ts';

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
  const facts = await labelQuality.facts(setId);
  const fit = facts.mode === 'pair' ? reliabilityOf(facts.labels) : null;
  const reliabilities = (fit?.items ?? []).map(({ item, label, posterior }): Reliability => ({
    pairId: item,
    verdict: label,
    posterior: Object.fromEntries((fit?.labels ?? []).map((name, at) => [name, posterior[at]])),
  }));
  await labelQuality.settle(setId, reliabilities, facts.labels.at(-1)?.sequence ?? 0);
}
