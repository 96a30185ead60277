import Database from 'better-sqlite3';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { WhetstoneError } from '../../engine/common/errors.ts';
import { callClasses, classOf } from '../../main/store/calls.ts';
import { openStore, type Store } from '../../main/store/client.ts';
import { openDatabase } from '../../main/store/database.ts';
import { storeModules } from '../../main/store/modules.ts';
import { isSliced } from '../../main/store/slices.ts';
import type { Role } from '../../main/store/thread.ts';
import { curationCalls } from '../support/curation-calls.ts';
import { doctorCalls } from '../support/doctor-cases.ts';
import { listsIn, longestList } from '../support/call-bounds.ts';
import { derivingCalls } from '../support/deriving-calls.ts';
import { labelQualityCalls } from '../support/label-quality-calls.ts';
import { labelCalls } from '../support/label-calls.ts';
import { rejected } from '../support/errors.ts';
import { inspectionCalls } from '../support/inspection-cases.ts';
import { judgeCalls } from '../support/judge-calls.ts';
import { importLarge, logCalls } from '../support/log-cases.ts';
import { packRows } from '../../main/store/packed-rows.ts';
import { comparisonCalls } from '../support/comparison-calls.ts';
import { noFindings } from '../support/findings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { largeIds, makeLargeWorkspace } from '../support/large-workspace.ts';
import { judgeReportCalls } from '../support/suite-cases.ts';
import { planCalls } from '../support/plan-cases.ts';
import { experimentCalls } from '../support/queue-cases.ts';
import { sampledCalls } from '../support/sampled-calls.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec } from '../support/workspace.ts';

type Classes = typeof callClasses;
type Long = {
  [M in keyof Classes]: {
    [Q in keyof Classes[M]]: Classes[M][Q] extends 'short' | 'within' ? never : `${M}.${Q & string}`;
  }[keyof Classes[M]];
}[keyof Classes];

let folder: string;
let store: Store;
let turn = 0;

const manyRows = () =>
  Array.from({ length: 20_000 }, (_none, row) => ({
    row,
    line: row,
    promptId: `p${row}`,
    prompt: 'Which?',
    answer: 'an answer '.repeat(20),
    reference: null,
    correct: null,
    source: 'test',
  }));

/** One large use of every call that is not short; a missing call does not compile. */
const large: Readonly<Record<Long, () => Promise<unknown>>> = {
  'workspace.backup': () => store.client.workspace.backup(join(folder, `copy-${(turn += 1)}.db`)),
  'workspace.unreferenced': () =>
    store.client.workspace.unreferenced(
      Array.from({ length: 1000 }, (_none, i) => `artifacts/segments/${i}.bin`),
    ),
  'datasets.list': () => store.client.datasets.list(),
  'workspace.checkpoint': () => store.client.workspace.checkpoint(),
  'datasets.appendPacked': async () => {
    const id = await store.client.datasets.stage({ name: 'packed', source: 'test' });
    try {
      await store.client.datasets.appendPacked(id, packRows(manyRows()));
    } finally {
      await store.client.datasets.discard(id);
    }
  },
  'datasets.append': async () => {
    const id = await store.client.datasets.stage({ name: 'new', source: 'test' });
    try {
      await store.client.datasets.append(id, manyRows(), []);
    } finally {
      await store.client.datasets.discard(id);
    }
  },
  'datasets.finish': async () => {
    const id = await store.client.datasets.stage({ name: 'new', source: 'test' });
    await store.client.datasets.appendPacked(id, packRows(manyRows()));
    await store.client.datasets.finish(id, { hash: '', doctor: noFindings });
    await store.client.datasets.remove(id);
  },
  'datasets.rows': () =>
    store.client.datasets.rows({
      id: largeIds.dataset,
      offset: 400,
      limit: 500,
      search: '9',
      show: 'correct',
    }),
  ...curationCalls(() => store),
  ...doctorCalls(() => store),
  ...derivingCalls(() => store),
  'datasets.prompt': () => store.client.datasets.prompt(largeIds.dataset, 'crowded'),
  'datasets.rejected': () => store.client.datasets.rejected(largeIds.dataset),
  'datasets.exportDemonstrations': () => store.client.datasets.exportDemonstrations(largeIds.dataset),
  'datasets.exportPreferences': () => store.client.datasets.exportPreferences(largeIds.dataset),
  'exporting.rows': () => store.client.exporting.rows(largeIds.dataset, 400),
  'exporting.prompts': () => store.client.exporting.prompts(largeIds.crowded, null),
  ...labelCalls(() => store),
  'exporting.labels': () => store.client.exporting.labels(largeIds.labelSet, 100),
  'labelSets.list': () => store.client.labelSets.list(),
  'labelReview.page': () =>
    store.client.labelReview.page({
      setId: largeIds.labelSet,
      filter: { choice: 'left', text: 'answer a of 9' },
      before: null,
      limit: 200,
    }),
  ...inspectionCalls(() => store),
  ...experimentCalls(() => store),
  ...planCalls(() => store),
  ...judgeCalls(() => store),
  ...logCalls(() => store),
  ...labelQualityCalls(() => store),
  'labelSets.create': () =>
    store.client.labelSets.create({
      name: 'made',
      from: { kind: 'dataset', datasetId: largeIds.crowded },
      pairsPerPrompt: 100,
      onlyDiffering: false,
      seed: 0,
    }),
  'labelSets.pairs': () => store.client.labelSets.pairs(largeIds.labelSet, 70_000, 20_000),
  'labelSets.labeled': () => store.client.labelSets.labeled(largeIds.labelSet),
  'labelSets.exportPreferences': () => store.client.labelSets.exportPreferences(largeIds.labelSet),
  'models.list': () => store.client.models.list(),
  'runs.list': () => store.client.runs.list(false),
  'metrics.names': () => store.client.metrics.names([largeIds.run]),
  'metrics.series': () =>
    store.client.metrics.series({
      runIds: [largeIds.run],
      names: ['loss', 'entropy', 'kl', 'reward'],
      from: 0,
      to: null,
      points: 20_000,
    }),
  ...sampledCalls(() => store),
  ...judgeReportCalls(() => store),
  ...comparisonCalls(() => store),
  'checkpoints.list': () => store.client.checkpoints.list(null),
  'results.list': () => store.client.results.list(largeIds.run),
  'results.newest': () => store.client.results.newest(largeIds.run, 'evaluation'),
  'events.commit': async () => {
    const { id: runId } = await store.client.runs.create(parsedSpec(), []);
    const attempt = await store.client.runs.beginAttempt(runId, null);
    const events = Array.from({ length: 64 }, (_none, i): EngineEvent => ({
      runId,
      attempt,
      role: 'policy',
      step: 1,
      sequence: i + 1,
      at: 0,
      type: 'trajectories',
      rows: Array.from({ length: 256 }, (_nothing, k) => trajectory({ id: `${runId}/${i}/${k}` })),
    }));
    await store.client.events.commit(events);
  },
};
const names = Object.keys(large) as Long[];
const roleOf = (name: Long): Role => {
  const [module, query] = name.split('.');
  const callClass = classOf(module, query);
  const roles: { readonly [callClass: string]: Role } = {
    sliced: 'writer',
    bulk: 'copier',
    background: 'checkpointer',
  };
  return roles[callClass ?? ''] ?? 'reader';
};

/** Makes one decision of the labeler, and fetches the next pairs. */
async function decide(): Promise<void> {
  await store.client.labels.decide({
    pairId: `${largeIds.labeling}-${(turn += 1) % 20_000}`,
    verdict: 'a',
    seconds: 1,
    labeler: 'me',
    rationale: '',
  });
  await store.client.labels.queue(largeIds.labeling, [], 5);
}

/** Reads the database file through a separate connection. */
function look<T>(sql: string): T {
  const db = new Database(join(folder, 'workspace.db'), { readonly: true });
  try {
    return db.prepare(sql).pluck().get() as T;
  } finally {
    db.close();
  }
}
const visible = (): unknown =>
  ['datasets', 'label_sets'].map((table) => look<number>(`select count(*) from ${table} where visible = 1`));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whetstone-'));
  makeLargeWorkspace(join(folder, 'workspace.db'));
  mkdirSync(join(folder, 'artifacts', 'segments'), { recursive: true });
  writeFileSync(join(folder, 'artifacts', 'segments', '0.bin'), new Uint8Array(100));
  store = await openStore({ folder, create: false });
  await importLarge(store.client);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('every call of the store', () => {
  it('is classed as short or long, and only existing calls are classed', () => {
    const db = openDatabase(join(temporaryFolder(), 'workspace.db'), { create: true });
    const modules = storeModules({ db, folder, tidy: () => undefined, making: new Set() });
    db.close();
    const calls = (of: object) =>
      Object.entries(of)
        .flatMap(([module, queries]) => Object.keys(queries as object).map((query) => `${module}.${query}`))
        .sort();
    expect(calls(callClasses)).toEqual(calls(modules));
  });

  it('that is a step of another call’s transaction cannot be called directly', async () => {
    for (const part of ['metrics', 'samples', 'checkpoints', 'results', 'inspections'] as const) {
      const append = store.client[part].append as (...args: unknown[]) => Promise<unknown>;
      expect((await rejected(append())).message).toContain(`no call ${part}.append`);
    }
  });
});

describe.each(names)('%s on a large workspace', (name) => {
  const role = roleOf(name);

  it('does not block the labeler’s decisions, and returns a bounded answer', async () => {
    const before = { answered: store.threads[role].answered, slices: store.threads[role].slices };
    let isOver = false;
    const call = large[name]().finally(() => {
      isOver = true;
    });
    let decisions = 0;
    while (!isOver) {
      await decide();
      if (!isOver) decisions += 1;
    }
    const answer = await call;
    expect(store.threads[role].answered).toBeGreaterThan(before.answered);
    if (role === 'writer') {
      // a thread that handled calls one after the other would have made no decision before the long call ended
      expect(decisions).toBeGreaterThan(0);
      expect(store.threads.writer.slices - before.slices).toBeGreaterThan(5);
    }
    for (const list of listsIn(answer)) expect(list.length).toBeLessThanOrEqual(longestList(name));
  });

  it('reports an error when its thread dies midway, leaves the database intact, and succeeds the next time', async () => {
    const { error, seen, writer } = await killed(name, role);
    expect(error).toMatchObject({ kind: 'internal', hint: expect.stringContaining('intact') as string });
    expect(error.where).toMatch(/^[a-z]+\w*\.\w+$/);
    await decide();
    if (role !== 'writer') expect(store.threads.writer.worker).toBe(writer);
    else
      expect([visible(), look('pragma quick_check'), look('pragma foreign_key_check')]).toEqual([
        seen,
        'ok',
        undefined,
      ]);
    expect(await large[name]()).not.toBeInstanceOf(Error);
    await expect
      .poll(() =>
        ['datasets', 'label_sets', 'runs'].map((table) =>
          look<number>(`select count(*) from ${table} where visible = 0`),
        ),
      )
      .toEqual([0, 0, 0]);
  });
});

describe('a copy of the workspace', () => {
  it('can be made during an export, while rows are being read', async () => {
    let isCopying = true;
    const exports = (async () => {
      let count = 0;
      for (; isCopying; count += 1) await store.client.datasets.exportDemonstrations(largeIds.dataset);
      return count;
    })();
    for (let copies = 0; copies < 2; copies += 1) await large['workspace.backup']();
    isCopying = false;
    expect(await exports).toBeGreaterThan(0);
  });
});

describe('a thread of the store', () => {
  it('reports when it runs out of memory, and restarts for the next call', async () => {
    const small = await openStore({ folder, create: false, memoryMb: 20 });
    try {
      const { pairs } = await small.client.labelSets.get(largeIds.labelSet);
      const error = await rejected(
        Promise.all(
          Array.from({ length: 4 }, () => small.client.labelSets.pairs(largeIds.labelSet, 0, pairs)),
        ),
      );
      expect(error).toMatchObject({ kind: 'out-of-memory', where: 'labelSets.pairs' });
      expect((await small.client.labelSets.pairs(largeIds.labelSet, 0, 10)).pairs).toHaveLength(10);
    } finally {
      await small.close();
    }
  });

  it('cancels long calls when it is closed, and they leave nothing behind', async () => {
    const seen = visible();
    const other = await openStore({ folder, create: false });
    const long = rejected(
      other.client.labelSets.create({
        name: '',
        from: { kind: 'dataset', datasetId: largeIds.dataset },
        pairsPerPrompt: 100,
        onlyDiffering: false,
        seed: 0,
      }),
    );
    await other.close();
    expect((await long).kind).toBe('cancelled');
    expect(visible()).toEqual(seen);
  });
});

describe('removal', () => {
  it.each([
    [
      'a label set',
      () => store.client.labelSets.remove(largeIds.spareSet),
      `select count(*) from pairs where set_id = '${largeIds.spareSet}'`,
    ],
    [
      'a run',
      () => store.client.runs.remove(largeIds.run),
      `select count(*) from trajectories where run_id = '${largeIds.run}'`,
    ],
    [
      'a dataset',
      () => store.client.datasets.remove(largeIds.dataset),
      `select count(*) from dataset_rows where dataset_id = '${largeIds.dataset}'`,
    ],
  ] as const)(
    '%s disappears at once, its rows are deleted while decisions continue, and rows left by a dying thread later',
    async (_what, remove, rows) => {
      await remove();
      await decide();
      expect(look<number>(rows)).toBeGreaterThan(0);
      await store.threads.writer.worker?.terminate();
      await decide();
      await expect.poll(() => look<number>(rows)).toBe(0);
      expect([look('pragma quick_check'), look('pragma foreign_key_check')]).toEqual(['ok', undefined]);
    },
  );
});

/**
 * Ends the thread while the call works. Returns the call's error, and the visible rows and writer before it.
 * Retries when the call finished first.
 */
async function killed(
  name: Long,
  role: Role,
): Promise<{ error: WhetstoneError; seen: unknown; writer: unknown }> {
  if (!store.threads[role].worker) await large[name](); // starts the thread
  for (let tries = 0; tries < 50; tries += 1) {
    const { slices } = store.threads[role];
    const [seen, writer] = [visible(), store.threads.writer.worker];
    const call = large[name]().then(
      () => null,
      (error: unknown) => error as WhetstoneError,
    );
    if (role === 'writer')
      await expect
        .poll(() => decide().then(() => store.threads.writer.slices), { interval: 1 })
        .toBeGreaterThan(slices);
    await store.threads[role].worker?.terminate();
    const error = await call;
    if (error) return { error, seen, writer };
  }
  throw new Error(`${name} was always quicker`);
}

it('long work is a generator, so it can be interrupted', () => {
  expect(
    isSliced(
      (function* () {
        yield;
      })(),
    ),
  ).toBe(true);
  expect(isSliced([].values())).toBe(false);
});
