import type { PlannedLabelsNode } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { StoreClient } from '../store/client.ts';
import { mostDecisions } from '../store/labels/labels.ts';
import { within } from './inputs.ts';
import { simulatedVerdict } from './simulated-labeler.ts';

/** Who decided, in the history of labels. */
const LABELER = 'scripted';
/** Pairs read at once. */
const PAGE = Math.min(1000, mostDecisions);

interface Making {
  readonly node: PlannedLabelsNode;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Gets the id of the label set before its first pair is decided. */
  began(labelSetId: string): Promise<void>;
}

/**
 * Makes the label set of a node: pairs of a run's answers, all decided by the simulated labeler. Deterministic in the
 * answers and the seed. Returns its id. Throws `invalid-input` if the answers make no pairs; `cancelled`, without a set left behind.
 */
export async function makeLabels(
  store: StoreClient,
  { node: { id: node, where, label }, runId, signal, began }: Making,
): Promise<string> {
  const { name = node, pairsPerPrompt, noise, seed } = label;
  const from = { kind: 'run', runId } as const;
  const { id, pairs } = await within(`${where}.label`, () =>
    store.labelSets.create({ name, from, pairsPerPrompt, onlyDiffering: false, seed }),
  );
  try {
    await began(id);
    for (let offset = 0; offset < pairs;) {
      if (signal.aborted) throw new WhetstoneError('cancelled', 'The plan was stopped.');
      const page = await store.labelSets.pairs(id, offset, PAGE);
      const decisions = page.pairs.map((pair) => ({
        pairId: pair.pairId,
        verdict: simulatedVerdict(pair, { noise, seed }),
      }));
      await store.labels.decideMany(LABELER, decisions);
      offset += page.pairs.length; // a page has fewer pairs if texts are long
    }
    return id;
  } catch (error) {
    await store.labelSets.remove(id);
    throw error;
  }
}
