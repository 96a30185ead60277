import { onePass } from '../../engine/common/suggested.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { StoreClient } from '../store/client.ts';

/** Pairs read at once. */
const PAGE = 5000;

/** Steps of so many passes over the training rows of a label set or dataset, the held-out share left out. */
export async function stepsOfPasses(
  store: StoreClient,
  { task, budget }: Pick<RunSpec, 'task' | 'budget'>,
  passes: number,
): Promise<number> {
  if (task.kind === 'world' || task.kind === 'control') return budget.steps;
  const rows =
    task.kind === 'labels'
      ? await labeledPairs(store, task)
      : (await store.datasets.get(task.datasetId)).rows;
  return onePass(Math.floor(rows * (1 - task.heldout)) * passes, budget.batch);
}

type LabelsTask = Extract<RunSpec['task'], { kind: 'labels' }>;

/** Decided pairs; with the filter on correctness, those that it keeps. */
async function labeledPairs(store: StoreClient, { labelSetId, filter }: LabelsTask): Promise<number> {
  let count = 0;
  for (let offset = 0; ;) {
    const { total, pairs } = await store.labelSets.pairs(labelSetId, offset, PAGE);
    for (const { verdict, correctA, correctB } of pairs)
      if (verdict !== null && (filter !== 'differ-in-correctness' || correctA !== correctB)) count++;
    offset += pairs.length;
    if (offset >= total || pairs.length === 0) return count;
  }
}
