import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SampleSort, SampleView } from '../../preload/wire/sample-query.ts';
import { openStore, type Store } from '../../main/store/client.ts';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { parsedSpec } from '../support/workspace.ts';
import { numbersFrom, special, words } from './query.ts';

interface Asked {
  readonly query?: string;
  readonly sort?: SampleSort;
  readonly view?: SampleView;
}
/** Median and worst of several turns, and the first turn, in milliseconds. */
interface Times {
  readonly median: number;
  readonly worst: number;
  readonly cold: number;
}

const down = (by: string, against?: string): SampleSort => ({
  by,
  descending: true,
  ...(against && { against }),
});
/** First pages of the list, of each sort, of searches and of grouped views. */
const asked: readonly Asked[] = [
  {},
  ...['reward', 'verifier', 'judge', 'score.length', 'step', 'length', 'logp', 'meanlogp'].map((by) => ({
    sort: down(by),
  })),
  { sort: { by: 'reward', descending: false } },
  { sort: down('judge', 'verifier') },
  { sort: down('judge', 'reward') },
  { query: 'common' },
  { query: 'medium' },
  { query: 'rare' },
  { query: 'rare', sort: down('reward') },
  { query: 'common medium', sort: down('judge') },
  { query: '"medium rare"' },
  { query: 'nowhere' },
  { query: '-common' },
  { query: 'reward>0.5 length>100 step:1000..2000 truncated wrong' },
  { query: 'is:correct purpose=train -"medium"', sort: down('judge') },
  { view: 'prompts' },
  { view: 'prompts', sort: down('reward') },
  { view: 'prompts', query: 'medium', sort: down('judge', 'verifier') },
  { view: 'distinct' },
  { view: 'distinct', query: 'wrong', sort: down('judge') },
];
const runId = 'bench';
const turns = 5;

/**
 * Measures the browser of sampled answers over `count` answers of one run through the store, as the screen
 * uses it: first pages of 50, facets, and the time and size of what is derived for them. Each query is asked
 * without a stored result; columns, orders and words that were looked up before are in memory, except in the
 * cold turn.
 */
export async function measureSamples({ count }: { readonly count: number }): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  try {
    mkdirSync(join(folder, 'artifacts'));
    const path = join(folder, 'workspace.db');
    const start = performance.now();
    makeRun(path, count);
    console.error(`${count} answers made in ${seconds(start)} s`);
    const store = await openStore({ folder, create: false });
    try {
      const bytes = statSync(path).size;
      const before = await timed(() => page(store, {}, 0));
      const index = await measureIndex(store, path, bytes);
      return { ...(await measureAll(store, count)), beforeIndexMs: before, databaseBytes: bytes, index };
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = (start: number): number => Math.round((performance.now() - start) / 100) / 10;

async function measureIndex({ client }: Store, path: string, bytes: number): Promise<unknown> {
  const start = performance.now();
  for (let part = await client.sampled.nextPart(runId); part; part = await client.sampled.nextPart(runId))
    await client.sampled.putPart(part);
  const columnSeconds = seconds(start);
  await client.workspace.checkpoint();
  const columnBytes = statSync(path).size - bytes;
  console.error(`columns derived in ${columnSeconds} s, ${mb(columnBytes)} MB`);
  const startTexts = performance.now();
  while ((await client.sampled.pending([runId])).texts > 0) await client.sampled.fillTexts(runId);
  const textSeconds = seconds(startTexts);
  await client.workspace.checkpoint();
  const textBytes = statSync(path).size - bytes - columnBytes;
  console.error(`texts indexed in ${textSeconds} s, ${mb(textBytes)} MB`);
  return { columnSeconds, columnBytes, textSeconds, textBytes };
}
const mb = (bytes: number): number => Math.round(bytes / 1e6);

async function measureAll(store: Store, count: number): Promise<Record<string, unknown>> {
  // the first page after the index was filled reads the columns that locate answers
  const opened = await timed(() => page(store, {}, 0));
  const measured: (Asked & { readonly total: number | null; readonly ms: Times })[] = [];
  for (const each of asked) {
    const times: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) times.push(await timed(() => page(store, each, turn)));
    const { total } = await page(store, each, 0);
    const [cold] = times;
    const sorted = times.toSorted((a, b) => a - b);
    const ms = { median: sorted[turns >> 1], worst: sorted[turns - 1], cold };
    measured.push({ ...each, total, ms });
    const { by = '', against } = each.sort ?? {};
    const about = [each.view, each.query, against ? `${by}~${against}` : by].filter(Boolean).join(' · ');
    console.error(
      `${about.padEnd(64)} ${String(total).padStart(8)}  ${ms.median.toFixed(1)} (${ms.worst.toFixed(0)}) ms, cold ${cold.toFixed(0)}`,
    );
  }
  const facets = await timed(() => store.client.sampled.facets({ runIds: [runId], query: 'wrong' }));
  const warmFacets = await timed(() => store.client.sampled.facets({ runIds: [runId], query: 'wrong ' }));
  const medians = measured.map(({ ms }) => ms.median).toSorted((a, b) => a - b);
  return {
    rows: count,
    firstPageMs: medians[medians.length >> 1],
    worst: {
      medianMs: medians.at(-1),
      coldMs: Math.max(...measured.map(({ ms }) => ms.cold)),
    },
    openedMs: opened,
    facetsMs: { cold: facets, warm: warmFacets },
    pages: measured,
  };
}

/** Blanks make it another query, whose result is not in memory. */
const page = ({ client }: Store, { query = '', sort, view = 'answers' }: Asked, turn: number) =>
  client.sampled.page({
    runIds: [runId],
    query: `${query}${' '.repeat(turn)}`,
    sort: sort ?? null,
    view,
    promptId: null,
    equalTo: null,
    ids: null,
    asOf: null,
    offset: 0,
    limit: 50,
  });

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Writes the answers of a run straight into a database: eight to a prompt, 256 to a step, four scores each. */
export function makeRun(path: string, count: number): void {
  const db = openDatabase(path, { create: true });
  db.pragma('synchronous = OFF');
  db.prepare("insert into workspace values (1, 'id', 'bench', 0)").run();
  db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values (?, 'bench', 'done', 'grpo', ?, 0, 0)",
  ).run(runId, JSON.stringify(parsedSpec()));
  db.prepare('insert into attempts (run_id, attempt, started_at) values (?, 1, 0)').run(runId);
  for (let from = 0; from < count; from += 20_480)
    db.transaction(() => insertAnswers(db, from, Math.min(count, from + 20_480)))();
  db.close();
}

function insertAnswers(db: Db, from: number, to: number): void {
  const insert = db.prepare(
    'insert into trajectories values (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, 0, 0)',
  );
  const score = db.prepare("insert into scores values (?, ?, '', ?)");
  for (let at = from; at < to; at += 1) {
    const draw = numbersFrom(at + 1);
    const prompt = Math.floor(at / 8);
    const asks = `A shop sells ${prompt % 97} boxes ${words(numbersFrom(prompt), 24)}. How many are left of ${prompt}?`;
    const isRight = draw() < 0.6;
    // a quarter of the answers are short and repeat one another
    const text =
      draw() < 0.25
        ? `The answer is ${isRight ? prompt : prompt + 1 + Math.floor(draw() * 3)}.`
        : `First ${words(draw, 20 + Math.floor(110 * draw() ** 2))} ${special(draw)}. So the answer is ${at % 1000}.`;
    const tokens = Math.ceil(text.length / 4);
    const id = `answer-${at}`;
    const stop = draw() < 0.05 ? 'length' : 'end';
    const logp = -tokens * (0.2 + draw());
    insert.run(
      id,
      runId,
      Math.floor(at / 256) + 1,
      at % 256,
      'policy',
      'v',
      Math.floor(at / 256),
      at % 2048 < 1792 ? 'train' : 'evaluation',
      `prompt-${prompt}`,
      at % 8,
      asks,
      text,
      tokens + 40,
      40,
      logp,
      stop,
      `artifacts/segments/${Math.floor(at / 256)}.bin`,
    );
    const judge = Number(isRight) + draw() - 0.5;
    score.run(id, 'verifier', Number(isRight));
    score.run(id, 'judge', judge);
    score.run(id, 'length', tokens);
    score.run(id, 'total', Number(isRight) + 0.1 * judge);
  }
}
