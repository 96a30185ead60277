import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreClient } from '../../main/store/client.ts';
import type { LogPoints } from '../../main/store/imported/points.ts';
import type { ImportedRun } from '../../main/store/imported/runs.ts';
import type { Cases, World } from './case-types.ts';
import { largeIds } from './large-workspace.ts';

let turn = 0;

/** A log that no other call of this returns. */
export function writtenLog({ folder }: Pick<World, 'folder'>): string {
  const own = join(folder, `log-${(turn += 1)}`);
  mkdirSync(own);
  const path = join(own, 'metrics.jsonl');
  writeFileSync(path, `{"step": 1, "loss": ${turn}}\n{"step": 2, "loss": 0.5}\n`);
  return path;
}

/** Points of one metric at the steps from `from` on. */
export const pointsOf = (name: string, values: readonly number[], from = 0): LogPoints => ({
  name,
  steps: Float64Array.from(values, (_value, i) => from + i),
  at: Float64Array.from(values, (_value, i) => 1_700_000_000_000 + 1000 * (from + i)),
  values: Float64Array.from(values),
});

/** Facts of a staged run with which its import ends. */
export const importedFacts = (id: string, own: Partial<ImportedRun> = {}): ImportedRun => ({
  id,
  name: 'imported',
  lastStep: 1,
  totalSteps: null,
  startedAt: null,
  endedAt: null,
  notFinite: null,
  origin: {
    tool: 'json-lines',
    path: 'metrics.jsonl',
    hash: `hash of ${id}`,
    points: 2,
    repeated: 0,
    skipped: [],
    damage: null,
    renamed: {},
  },
  config: { learning_rate: 0.1 },
  ...own,
});

/** Imports a run with these metrics; returns its id. */
export async function importedForTest(
  store: StoreClient,
  points: readonly LogPoints[] = [pointsOf('loss', [1, 0.5])],
  own: Partial<ImportedRun> = {},
): Promise<string> {
  const id = await store.importedRuns.stage('TensorBoard');
  await store.importedRuns.append(id, points);
  await store.importedRuns.finish([importedFacts(id, own)]);
  return id;
}

/** Cases of the endpoints that import and export logs. */
export const logCases: Cases['logs'] = {
  find: {
    valid: (w) => ({ path: writtenLog(w) }),
    invalid: (w) => ({ input: { path: join(w.folder, 'nowhere') }, kind: 'not-found' }),
  },
  import: {
    valid: (w) => ({ path: writtenLog(w), name: 'imported' }),
    invalid: (w) => ({ input: { path: join(w.folder, 'nowhere') }, kind: 'not-found' }),
  },
  config: {
    valid: (w) => ({ id: w.importedRunId }),
    invalid: () => ({ input: { id: 'nobody' }, kind: 'not-found' }),
  },
  export: {
    valid: (w) => ({ runIds: [w.runId], format: 'csv', path: join(w.folder, 'curves.csv') }),
    invalid: (w) => ({
      input: { runIds: ['nobody'], format: 'csv', path: join(w.folder, 'x') },
      kind: 'not-found',
    }),
  },
};

/** Large uses of the calls of imported runs and of whole curves that are not short. */
export const logCalls = (store: () => { readonly client: StoreClient }) => ({
  'importedRuns.append': async () => {
    const { importedRuns } = store().client;
    const id = await importedRuns.stage('TensorBoard');
    try {
      const values = Array.from({ length: 200_000 }, (_none, i) => i);
      await importedRuns.append(id, [pointsOf('loss', values), pointsOf('kl', values)]);
    } finally {
      await importedRuns.discard([id]);
    }
  },
  'importedRuns.config': () => store().client.importedRuns.config(importedId),
  'metrics.extent': () => store().client.metrics.extent(largeIds.run),
  'metrics.window': () => store().client.metrics.window(largeIds.run, 0, 1_000_000),
});

/** Id of an imported run of the large workspace. */
let importedId = '';
export const importLarge = async (store: StoreClient): Promise<void> => {
  importedId = await importedForTest(store);
};
