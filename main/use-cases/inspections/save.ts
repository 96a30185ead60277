import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { ShownPair } from '../../../preload/contract/inspections.ts';
import type { LabelSet } from '../../../preload/contract/labels.ts';
import { markText } from '../../../preload/wire/pair-mark.ts';
import type { Services } from '../../services/services.ts';
import { StagedAnswers, type AnswerRow } from '../answers/staged.ts';
import { positionsOf, shownPair, type PairQuery } from './pairs.ts';
import { tableOf, type InspectionTable } from './table.ts';

/** Pairs read and stored at once. */
const atOnce = 500;

/** The two rows of a pair: chosen first. Of a pair without a preferred answer neither is right. */
function rowsOf(
  { runId, name }: InspectionTable,
  { pairId, prompt, verdict, certainty, strength, margin, ...pair }: ShownPair,
  promptId: string,
): AnswerRow[] {
  const isDecided = verdict === 'a' || verdict === 'b';
  const row = (side: 'chosen' | 'rejected'): AnswerRow => ({
    promptId,
    prompt,
    answer: pair[side],
    reference: null,
    correct: isDecided ? side === 'chosen' : null,
    source: name,
    extra: {
      pair: pairId,
      side: isDecided ? side : verdict,
      score: side === 'chosen' ? pair.chosenScore : pair.rejectedScore,
      margin,
      ...(certainty !== null && { certainty }),
      ...(strength !== null && { strength }),
      run: runId,
    },
  });
  return [row('chosen'), row('rejected')];
}

const nothing = (): WhetstoneError =>
  new WhetstoneError('invalid-input', 'No pair matches, so there is nothing to save.', {
    where: 'filter',
    hint: 'Choose other pairs.',
  });

const words = ({ filter: { mark, outcome }, order, others = [] }: Omit<PairQuery, 'runId'>): string => {
  const what =
    mark === undefined
      ? 'All'
      : mark.kind === 'slice'
        ? `${mark.by} ${mark.name}:`
        : mark.kind === 'positions'
          ? 'Chosen'
          : mark.kind === 'region'
            ? `In the region ${markText(mark)} of the map:`
            : `Bin ${mark.bin + 1} of ${mark.kind}:`;
  const by = order === 'ensemble' ? `${order} with ${others.join(', ')}` : order;
  return `${what} held-out pairs${outcome ? ` that are ${outcome}` : ''}, order ${by}`;
};

/**
 * Saves the pairs behind a filter as a new dataset, two rows a pair in their order, whole or not at all. Throws
 * `invalid-input` if there are none.
 */
export async function pairsToDataset(
  services: Services,
  { runId, name, ...query }: PairQuery & { readonly name: string },
): Promise<Dataset> {
  const { store } = services;
  const table = await tableOf(services, runId);
  const positions = await positionsOf(services, table, query);
  if (positions.length === 0) throw nothing();
  const staged = await StagedAnswers.open(store, {
    name,
    source: `run ${runId}`,
    why: `${words(query)}, of the reward model “${table.name}”.`,
  });
  try {
    for (let from = 0; from < positions.length;) {
      const texts = await store.inspections.texts(runId, [...positions.slice(from, from + atOnce)]);
      await staged.append(texts.flatMap((text) => rowsOf(table, shownPair(table, text), text.promptId)));
      from += texts.length;
    }
    return await staged.finish();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/**
 * Makes a label set of the pairs behind a filter, in their order, from a dataset of them with the same name.
 * Labelers see neither scores nor earlier verdicts. Throws as `pairsToDataset` does.
 */
export async function pairsToLabels(
  services: Services,
  query: PairQuery & { readonly name: string },
): Promise<LabelSet> {
  const { store } = services;
  const dataset = await pairsToDataset(services, query);
  try {
    return await store.labelSets.create({
      name: query.name,
      from: { kind: 'dataset', datasetId: dataset.id },
      pairsPerPrompt: 1,
      onlyDiffering: false,
      seed: 0,
      pairs: Array.from({ length: dataset.rows / 2 }, (_none, at) => [2 * at, 2 * at + 1] as const),
    });
  } catch (error) {
    await store.datasets.remove(dataset.id);
    throw error;
  }
}
