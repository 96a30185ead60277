import type { ModeId, OptionChanges } from '../../engine/schema/labeling/index.ts';
import type { LabelSet, PairShown } from '../../preload/contract/labels.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { datasetForTest, workspaceForTest } from './workspace.ts';

/** A label set of so many pairs of a right and a wrong answer, in a workspace of its own. */
export async function pairsForTest(pairs: number, options: OptionChanges = {}, mode: ModeId = 'pair') {
  const workspace = await workspaceForTest();
  const datasetId = await datasetForTest(workspace.store, pairs);
  return { ...workspace, datasetId, set: await setOf(workspace.store, datasetId, options, mode) };
}

/** A set of one pair for each prompt of a dataset. */
export async function setOf(
  store: StoreClient,
  datasetId: string,
  options: OptionChanges = {},
  mode: ModeId = 'pair',
): Promise<LabelSet> {
  return await store.labelSets.create({
    name: 'answers',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 1,
    onlyDiffering: true,
    seed: 5,
    mode,
    options,
  });
}

/** Decides the item on the screen: the stored answer that `better` chooses. */
export type Judge = (item: PairShown) => 'left' | 'right' | 'tie';

/** Labels like the page, which holds some items ahead, until nothing is left; returns what was shown. */
export async function labelAll(
  store: StoreClient,
  setId: string,
  labeler: string,
  judge: Judge,
  ahead = 4,
): Promise<PairShown[]> {
  const shown: PairShown[] = [];
  const held: PairShown[] = [];
  for (;;) {
    held.push(
      ...(await store.labels.queue(
        setId,
        held.map(({ pairId }) => pairId),
        ahead,
        labeler,
      )),
    );
    const item = held.shift();
    if (!item) return shown;
    shown.push(item);
    await store.labels.decide({
      pairId: item.pairId,
      verdict: judge(item),
      labeler,
      seconds: 1,
      rationale: '',
    });
  }
}
