import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowSort } from '../../preload/contract/rows.ts';
import { openStore, type Store } from '../../main/store/client.ts';
import { openDatabase, type Db } from '../../main/store/database.ts';
import { fillParts } from '../../main/store/rows/fill.ts';
import { atOnce } from '../../main/store/slices.ts';
import { noFindings } from '../support/findings.ts';

/** Median and worst, in milliseconds. */
interface Times {
  readonly median: number;
  readonly worst: number;
}
interface Asked {
  readonly query: string;
  readonly sort: RowSort | null;
}

interface Measured extends Asked {
  readonly total: number;
  readonly firstPageMs: Times;
  readonly facetsMs: Times;
  /** The first time that the query was asked. */
  readonly cold: { readonly firstPageMs: number; readonly facetsMs: number };
}

const longest: RowSort = { column: 'length', descending: true };
/** Typical queries: words, phrases, negations, extra columns, sorts; each runs without a stored result. */
const asked: readonly Asked[] = [
  { query: '', sort: null },
  { query: '', sort: longest },
  { query: 'wrong', sort: null },
  { query: 'wrong source:6b length>400', sort: null },
  { query: 'common', sort: null },
  { query: 'common', sort: longest },
  { query: 'common medium', sort: null },
  { query: 'medium -wrong', sort: { column: 'difficulty', descending: true } },
  { query: 'rare', sort: null },
  { query: '"medium rare"', sort: null },
  { query: '"common medium"', sort: null },
  { query: '-common', sort: null },
  { query: 'topic="algebra" difficulty>=0.5', sort: { column: 'difficulty', descending: false } },
  { query: 'topic="algebra" OR topic="geometry"', sort: { column: 'topic', descending: false } },
  { query: 'id:item-77', sort: null },
  { query: 'nowhere', sort: null },
  { query: 'length:100..120 right', sort: { column: 'source', descending: true } },
];
const id = 'bench';
/** Runs of each query. */
const turns = 5;

/**
 * Measures queries over a dataset of `count` rows, through the store as the screen uses it: the first page of
 * 100 rows, and the counts of all facets.
 */
export async function measureQueries({ count }: { readonly count: number }): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  try {
    mkdirSync(join(folder, 'artifacts'));
    const start = performance.now();
    makeWorkspace(join(folder, 'workspace.db'), count);
    console.error(`${count} rows made and indexed in ${seconds(start)} s`);
    const store = await openStore({ folder, create: false });
    try {
      return await measureAll(store, count);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const seconds = (start: number): string => ((performance.now() - start) / 1000).toFixed(1);

async function measureAll(store: Store, count: number): Promise<unknown> {
  const first = await timed(() => page(store, { query: '', sort: null }));
  const firstFacets = await timed(() => store.client.rows.facets({ id, query: '' }));
  console.error(`opened: page ${first.toFixed(0)} ms, facets ${firstFacets.toFixed(0)} ms`);
  const queries: Measured[] = [];
  for (const each of asked) {
    const [pages, facets]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn += 1) {
      // blanks make it another query, whose result is not in memory; columns and words looked up before are
      const query = `${each.query}${' '.repeat(turn)}`;
      pages.push(await timed(() => page(store, { ...each, query })));
      facets.push(await timed(() => store.client.rows.facets({ id, query })));
    }
    const { total } = await store.client.rows.facets({ id, query: each.query });
    const result = {
      ...each,
      total,
      firstPageMs: spread(pages),
      facetsMs: spread(facets),
      cold: { firstPageMs: pages[0], facetsMs: facets[0] },
    };
    queries.push(result);
    console.error(
      `${(each.query || '(all)').padEnd(40)} ${(each.sort?.column ?? '').padEnd(11)} ${String(total).padStart(8)} rows` +
        `  page ${shown(result.firstPageMs)} cold ${pages[0].toFixed(0)}  facets ${shown(result.facetsMs)} cold ${facets[0].toFixed(0)}`,
    );
  }
  const all = (of: 'firstPageMs' | 'facetsMs') => spread(queries.map((each) => each[of].median));
  return {
    rows: count,
    firstPageMs: all('firstPageMs').median,
    facetsMs: all('facetsMs').median,
    worst: {
      firstPageMs: Math.max(...queries.map((each) => each.firstPageMs.worst)),
      facetsMs: Math.max(...queries.map((each) => each.facetsMs.worst)),
    },
    opened: { firstPageMs: first, facetsMs: firstFacets },
    queries,
  };
}

const page = (store: Store, { query, sort }: Asked) =>
  store.client.rows.page({ id, query, sort, offset: 0, limit: 100 });

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

const spread = (values: readonly number[]): Times => ({
  median: [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)],
  worst: Math.max(...values),
});
const shown = ({ median, worst }: Times): string =>
  `${median.toFixed(1).padStart(7)} (${worst.toFixed(0)}) ms`;

/** Writes the rows straight into a database, with the columns and the index that the app fills in the background. */
export function makeWorkspace(path: string, count: number): void {
  const db = openDatabase(path, { create: true });
  db.pragma('synchronous = OFF');
  db.prepare("insert into workspace values (1, 'id', 'bench', 0)").run();
  db.prepare("insert into datasets values (?, 'bench', 'bench', 'hash', 0, ?, ?, 1)").run(
    id,
    count,
    JSON.stringify(noFindings),
  );
  for (let from = 0; from < count; from += 20_000)
    db.transaction(() => insertRows(db, from, Math.min(count, from + 20_000)))();
  atOnce(fillParts(db));
  db.close();
}

const topics = ['algebra', 'geometry', 'number theory', 'counting', 'probability', 'logic', 'code'];
const models = ['base-6b', 'base-70b', 'tuned-6b', 'tuned-70b', 'by hand'];

function insertRows(db: Db, from: number, to: number): void {
  const row = db.prepare(
    `insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, reference, correct, source, extra)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const indexed = db.prepare(
    'insert into row_search (rowid, prompt, answer) select (number << 32) + ?, ?, ? from dataset_numbers where dataset_id = ?',
  );
  for (let at = from; at < to; at += 1) {
    const draw = numbersFrom(at + 1);
    const prompt = `What is question ${Math.floor(at / 4)} about ${words(draw, 6)}?`;
    const answer = `${words(draw, 5 + Math.floor(40 * draw() ** 3))} ${special(draw)} ${at % 1000}`;
    const extra = {
      id: `item-${at}`,
      topic: topics[Math.floor(draw() * topics.length)],
      difficulty: Math.round(draw() * 1000) / 1000,
      tokens: answer.length >> 2,
      ...(draw() < 0.2 && { license: 'open' }),
    };
    const source = models[Math.floor(draw() * models.length)];
    const mark = [0, 1, null][Math.floor(draw() * 3)];
    row.run(
      id,
      at,
      at + 1,
      `p${Math.floor(at / 4)}`,
      prompt,
      answer,
      null,
      mark,
      source,
      JSON.stringify(extra),
    );
    indexed.run(at, prompt, answer, id);
  }
  db.prepare('update dataset_numbers set indexed = ? where dataset_id = ?').run(to, id);
}

/** Words with known frequencies: "common" in half of the rows, "medium" in a tenth, "rare" in a ten-thousandth. */
export const special = (draw: () => number): string =>
  [draw() < 0.5 && 'common', draw() < 0.1 && 'medium', draw() < 0.0001 && 'rare'].filter(Boolean).join(' ');

/** Text of a vocabulary of 5,000, whose words are the rarer the later. */
export const words = (draw: () => number, count: number): string =>
  Array.from({ length: count }, () => `w${Math.floor(5000 * draw() ** 2).toString(36)}`).join(' ');

/** Uniform numbers of a seed (a linear congruential generator). */
export function numbersFrom(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
