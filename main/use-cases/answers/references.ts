import { setImmediate } from 'node:timers/promises';
import { solutionsOf } from '../../../engine/index.ts';
import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { StoreClient } from '../../store/client.ts';
import { cancelled, rowsMatching } from '../reading.ts';

/** What is read of an answer of a run, whose `extra` names that. */
interface Answered {
  readonly promptId: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  readonly extra?: { readonly [column: string]: unknown };
}

/** Right answers by the id of their prompt. */
type References = Map<string, string>;

/** What a dataset says of prompts: its first answer that is marked right, else the reference. */
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

/** What the worlds of a run say; between some problems, others get their turn. */
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
 * Answers of runs with the reference that the task of their run gives, for prompts without a right answer
 * among them. A task that gives none, such as labels, leaves them as they are. Throws `cancelled`.
 */
export async function withReferences<Row extends Answered>(
  store: StoreClient,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const solved = new Set(rows.flatMap(({ promptId, correct }) => (correct === true ? [promptId] : [])));
  const open = rows.filter(({ promptId, reference }) => reference === null && !solved.has(promptId));
  const found: References = new Map();
  for (const [runId, own] of Map.groupBy(open, ({ extra }) => extra?.run)) {
    const { spec } = typeof runId === 'string' ? await store.runs.get(runId) : { spec: null };
    if (!spec) continue;
    const prompts = new Set(own.map(({ promptId }) => promptId));
    const told = await ofWorlds(spec, prompts, signal);
    const { task } = spec;
    if (task.kind === 'dataset')
      for (const each of await ofDataset(store, task.datasetId, prompts, signal)) told.set(...each);
    for (const each of told) found.set(...each);
  }
  return rows.map((row) => ({ ...row, reference: row.reference ?? found.get(row.promptId) ?? null }));
}
