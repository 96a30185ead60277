import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import { importDataset } from '../../main/import/index.ts';
import { backupTo } from '../../main/services/artifacts.ts';
import { openStore, type Store } from '../../main/store/client.ts';
import { largeIds, largeSizes, makeLargeWorkspace } from '../support/large-workspace.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec } from '../support/workspace.ts';

/** Median, 99th percentile and maximum, in milliseconds. */
interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Latencies of the labeler's decisions during long work. `wait`: from request to answer, the disk included.
 * `work`: processor time of the writing thread meanwhile, its own part and that of the requests before it:
 * the wait on an otherwise idle machine. Only Linux reports it; null elsewhere.
 */
interface Waits {
  readonly call: string;
  readonly seconds: number;
  readonly decisions: number;
  readonly wait: Spread;
  readonly work: Spread | null;
}

/** Minimum time for which a call is repeated, in seconds. */
const leastSeconds = 2;

/** Long work on a workspace of `largeSizes`, by name. */
const works = (
  store: Store,
  folder: string,
): Readonly<Record<string, (turn: number) => Promise<unknown>>> => ({
  'nothing else': () =>
    new Promise((resolve) => {
      setTimeout(resolve, 1000);
    }),
  'import of 120,000 answers': (turn) =>
    importDataset(
      store.client,
      { path: join(folder, 'import.jsonl'), name: `imported ${turn}`, keepGoodLines: true },
      new AbortController().signal,
      () => undefined,
    ),
  'pairing of 12,000 answers to one prompt': (seed) =>
    store.client.labelSets.create({
      name: '',
      from: { kind: 'dataset', datasetId: largeIds.crowded },
      pairsPerPrompt: 100,
      onlyDiffering: false,
      seed,
    }),
  'pairing of 120,000 answers to 54,001 prompts': (seed) =>
    store.client.labelSets.create({
      name: '',
      from: { kind: 'dataset', datasetId: largeIds.dataset },
      pairsPerPrompt: 4,
      onlyDiffering: false,
      seed,
    }),
  'search in 120,000 rows': () =>
    store.client.datasets.rows({
      id: largeIds.dataset,
      offset: 0,
      limit: 100,
      search: 'nowhere',
      show: 'all',
    }),
  'export of 120,000 rows': () => store.client.datasets.exportDemonstrations(largeIds.dataset),
  'export of a dataset’s pairs': () => store.client.datasets.exportPreferences(largeIds.dataset),
  'export of 50,000 labels': () => store.client.labelSets.exportPreferences(largeIds.labelSet),
  'page of 20,000 pairs': () => store.client.labelSets.pairs(largeIds.labelSet, 0, 20_000),
  'samples of a run of 100,000': () =>
    store.client.samples.query({
      runIds: [largeIds.run],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest',
      offset: 50_000,
      limit: 500,
    }),
  'curves of 400,000 points': () =>
    store.client.metrics.series({
      runIds: [largeIds.run],
      names: ['loss', 'entropy', 'kl', 'reward'],
      from: 0,
      to: null,
      points: 2000,
    }),
  'results of a run (16,384 samples)': () => commit(store),
  'copy of the workspace': (turn) =>
    backupTo(store.client, join(folder, 'workspace'), join(folder, `copy-${turn}`)),
  'removal of a run of 100,000 samples': async (turn) => {
    if (turn === 1) await store.client.runs.remove(largeIds.run);
    await new Promise((resolve) => {
      setTimeout(resolve, 1000);
    });
  },
});

async function commit({ client }: Store): Promise<void> {
  const { id: runId } = await client.runs.create(parsedSpec(), []);
  const attempt = await client.runs.beginAttempt(runId, null);
  await client.events.commit(
    Array.from({ length: 64 }, (_none, i): EngineEvent => ({
      runId,
      attempt,
      role: 'policy',
      step: 1,
      sequence: i + 1,
      at: 0,
      type: 'trajectories',
      rows: Array.from({ length: 256 }, (_nothing, k) => trajectory({ id: `${runId}/${i}/${k}` })),
    })),
  );
}

/** The file to import. */
async function writeRows(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  for (let row = 0; row < rows; row += 1) {
    if (
      !file.write(
        `${JSON.stringify({ prompt: `What is ${row >> 1}?`, answer: `answer ${row} ${'word '.repeat(30)}`, correct: row % 2 === 0 })}\n`,
      )
    )
      await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

const tasks = '/proc/self/task';

/** Processor time of the writing thread so far, in milliseconds. */
function writerTime(): number | null {
  if (!existsSync(tasks)) return null;
  const writer = readdirSync(tasks).find(
    (task) => readFileSync(join(tasks, task, 'comm'), 'utf8').trim() === 'store-writer',
  );
  return writer === undefined
    ? null
    : Number(readFileSync(join(tasks, writer, 'schedstat'), 'utf8').split(' ')[0]) / 1e6;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((x, y) => x - y);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] * 100) / 100;
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}

/** Decides pairs one after the other while `work` is repeated. */
async function waitsDuring(
  store: Store,
  call: string,
  work: (turn: number) => Promise<unknown>,
  next: () => string,
): Promise<Waits> {
  const [waits, worked]: [number[], number[]] = [[], []];
  const start = performance.now();
  const passed = (): number => (performance.now() - start) / 1000;
  let isOver = false;
  const done = (async () => {
    for (let turn = 1; turn === 1 || passed() < leastSeconds; turn += 1) await work(turn);
  })().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = writerTime();
    const start = performance.now();
    await store.client.labels.decide({
      pairId: next(),
      verdict: 'a',
      seconds: 1,
      labeler: 'me',
      rationale: '',
    });
    waits.push(performance.now() - start);
    const after = writerTime();
    if (before !== null && after !== null) worked.push(after - before);
    // no person decides faster
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  await done;
  return {
    call,
    seconds: Math.round(passed() * 10) / 10,
    decisions: waits.length,
    wait: spreadOf(waits),
    work: worked.length > 0 ? spreadOf(worked) : null,
  };
}

export async function measureStore(): Promise<{
  readonly sizes: typeof largeSizes;
  readonly databaseBytes: number;
  readonly waits: readonly Waits[];
}> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  try {
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace);
    makeLargeWorkspace(join(workspace, 'workspace.db'));
    await writeRows(join(folder, 'import.jsonl'), largeSizes.rows);
    const { size: databaseBytes } = statSync(join(workspace, 'workspace.db'));
    const store = await openStore({ folder: workspace, create: false });
    let decided = 0;
    const next = (): string => `${largeIds.labeling}-${(decided += 1) % 20_000}`;
    const waits: Waits[] = [];
    for (const [call, work] of Object.entries(works(store, folder))) {
      const found = await waitsDuring(store, call, work, next);
      const { wait, work: own } = found;
      const written = ({ median, p99, max }: Spread): string =>
        [median, p99, max].map((ms) => ms.toFixed(2)).join(' / ');
      console.log(
        `${call.padEnd(46)} ${found.seconds.toFixed(1).padStart(6)} s  ` +
          `${String(found.decisions).padStart(5)} decisions  ${written(wait)} ` +
          `ms${own ? `, of the writer ${written(own)} ms` : ''}`,
      );
      waits.push(found);
    }
    await store.close();
    return { sizes: largeSizes, databaseBytes, waits };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
