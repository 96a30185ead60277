import { setImmediate } from 'node:timers/promises';
import { solutionsOf } from '../../../engine/index.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { StoreClient } from '../../store/client.ts';
import { cancelled, rowsMatching } from '../reading.ts';

/** An answer of the run that its `extra` names. */
interface Answered {
  readonly promptId: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  readonly extra?: { readonly [column: string]: unknown };
}

/** Right answers by the id of their prompt. */
type References = Map<string, string>;

/** Of a dataset: the first answer to each prompt that is marked right, else its reference. */
async function ofDataset(
  store: StoreClient,
  datasetId: string,
  prompts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<References> {
  const found: References = new Map();
  const marked: References = new Map();
  for await (const rows of rowsMatching(store, datasetId, '', signal))
    for (const { promptId, answer, reference, correct } of rows) {
      if (!prompts.has(promptId)) continue;
      if (correct === true && answer !== '' && !marked.has(promptId)) marked.set(promptId, answer);
      if (reference !== null && !found.has(promptId)) found.set(promptId, reference);
    }
  return new Map([...found, ...marked]);
}

/** Of the worlds of a run; yields to other work between problems. */
async function ofWorlds(
  spec: RunSpec,
  prompts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<References> {
  const found: References = new Map();
  for (const some of solutionsOf(spec, prompts)) {
    for (const [promptId, answer] of some) found.set(promptId, answer);
    await setImmediate();
    if (signal.aborted) throw cancelled();
  }
  return found;
}

/**
 * Adds the reference that the task of their run gives to answers of prompts that no answer solves. A task
 * without references, such as labels, adds none. Throws `cancelled`.
 */
export async function withReferences<Row extends Answered>(
  store: StoreClient,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const solved = new Set(rows.flatMap(({ promptId, correct }) => (correct === true ? [promptId] : [])));
  const open = rows.filter(({ promptId, reference }) => reference === null && !solved.has(promptId));
  // two runs may have other references for one prompt
  const found = new Map<unknown, References>();
  for (const [runId, own] of Map.groupBy(open, ({ extra }) => extra?.run)) {
    const { spec } = typeof runId === 'string' ? await store.runs.get(runId) : { spec: null };
    if (!spec) continue;
    const prompts = new Set(own.map(({ promptId }) => promptId));
    const told = await ofWorlds(spec, prompts, signal);
    const { task } = spec;
    if (task.kind === 'dataset')
      for (const each of await ofDataset(store, task.datasetId, prompts, signal)) told.set(...each);
    found.set(runId, told);
  }
  return rows.map((row) => ({
    ...row,
    reference: row.reference ?? found.get(row.extra?.run)?.get(row.promptId) ?? null,
  }));
}
