import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ImportProgress } from '../../preload/contract/datasets.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { createFolder, openFolder } from '../../main/store/folder.ts';
import { rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesForTest, servicesIn, smallSpec } from '../support/workspace.ts';

const goodLine = (i: number): string =>
  JSON.stringify({ prompt: `question ${i}`, completion: `answer ${i} ${'x'.repeat(200)}` });
const lines = (n: number): string[] => Array.from({ length: n }, (_none, i) => goodLine(i));

async function importAll(
  { api }: OpenServices,
  path: string,
  keepGoodLines = false,
): Promise<ImportProgress[]> {
  const events: ImportProgress[] = [];
  for await (const progress of api.datasets.import(
    { path, name: '', keepGoodLines },
    new AbortController().signal,
  ))
    events.push(progress);
  return events;
}
const written = (name: string, content: string | Uint8Array): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};

describe('an import', () => {
  it.each([
    ['an empty file', 'a.jsonl', '', 'empty'],
    ['a binary file', 'a.jsonl', Uint8Array.of(0x7b, 0, 1, 2, 255), 'binary'],
    ['a file without any known column', 'a.csv', 'height,weight\n1,2\n', ''],
  ])('rejects %s and stores nothing', async (_name, file, content, word) => {
    const bench = await servicesForTest();
    const path = written(file, content);
    const error = await rejected(importAll(bench, path));
    expect(error.kind).toBe('invalid-input');
    expect(error.where).toContain(path);
    expect(error.message).toContain(word);
    expect(await bench.api.datasets.list({})).toEqual([]);
  });

  it('reports file and line of the first invalid line and stores nothing, or stores the valid lines on request', async () => {
    const bench = await servicesForTest();
    const path = written('broken.jsonl', [...lines(3000), '{"prompt": "cut', ...lines(10)].join('\n'));
    const error = await rejected(importAll(bench, path));
    expect([error.kind, error.where]).toEqual(['invalid-input', `${path}:3001`]);
    expect(await bench.api.datasets.list({})).toEqual([]);

    const end = (await importAll(bench, path, true)).at(-1);
    const dataset = end?.state === 'done' ? end.dataset : null;
    expect(dataset).toMatchObject({ rows: 3010, name: 'broken', doctor: { rejected: 1 } });
    expect(await bench.api.datasets.rejected({ id: dataset?.id ?? '' })).toMatchObject([
      { line: 3001, text: '{"prompt": "cut' },
    ]);
  });

  it.each(['..', '.', '../../../etc/x', '/x', '.hidden', 'a b?.jsonl'])(
    'from a browser keeps the file named %j inside the workspace',
    async (name) => {
      const bench = await servicesForTest();
      const { path } = await bench.api.datasets.upload({
        name,
        bytes: new TextEncoder().encode(goodLine(1)),
      });
      expect(path.startsWith(join(bench.services.folder, 'artifacts', 'uploads'))).toBe(true);
      expect((await importAll(bench, path)).at(-1)?.state).toBe('done');
    },
  );

  it('that is cancelled stores nothing', async () => {
    const bench = await servicesForTest();
    const path = written('long.jsonl', lines(20_000).join('\n'));
    const stop = new AbortController();
    for await (const progress of bench.api.datasets.import(
      { path, name: '', keepGoodLines: false },
      stop.signal,
    )) {
      expect(progress.state).toBe('reading');
      stop.abort();
    }
    expect(await bench.api.datasets.list({})).toEqual([]);
    await bench.api.datasets.upload({
      name: 'again.jsonl',
      bytes: new TextEncoder().encode(lines(2).join('\n')),
    });
    expect((await importAll(bench, path)).at(-1)?.state).toBe('done');
  });
});

describe('a full disk', () => {
  it('ends an import with a disk-full error, and the existing data still works', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const first = await createFolder(path);
    const datasetId = await datasetForTest(first.store, 3);
    await first.close();
    const { store, close } = await openFolder(path, { maxPages: 150 });
    onTestFinished(close);
    const id = await store.datasets.stage({ name: 'too much', source: 'x' });
    const rows = Array.from({ length: 1000 }, (_none, row) => ({
      row,
      line: row,
      promptId: 'p',
      prompt: 'q'.repeat(500),
      answer: 'a'.repeat(500),
      reference: null,
      correct: null,
      source: '',
    }));
    const error = await rejected(store.datasets.append(id, rows, []));
    expect(error.kind).toBe('disk-full');
    expect(error.hint).toBeTruthy();
    await store.datasets.discard(id);
    expect((await store.datasets.list()).map((d) => d.id)).toEqual([datasetId]);
    const set = await store.labelSets.create({
      name: '',
      from: { kind: 'dataset', datasetId },
      pairsPerPrompt: 1,
      onlyDiffering: false,
      seed: 0,
    });
    expect(
      (
        await store.labels.decide({
          pairId: (await store.labels.queue(set.id, [], 1))[0].pairId,
          verdict: 'a',
          seconds: 1,
          labeler: 'me',
          rationale: '',
        })
      ).labeled,
    ).toBe(1);
  });
});

describe('a workspace', () => {
  it.each([
    ['an empty folder', 'not-found', () => undefined],
    [
      'a folder whose database is text',
      'invalid-input',
      (folder: string) =>
        writeFileSync(join(folder, 'workspace.db'), 'this is no database, but a sentence of some length'),
    ],
  ])('cannot be opened from %s', async (_name, kind, prepare) => {
    const folder = temporaryFolder();
    prepare(folder);
    expect((await rejected(openFolder(folder))).kind).toBe(kind);
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('cannot be created or opened at the path of a file, and the error names the path', async () => {
    const bench = await servicesForTest();
    const file = written('thesis.tex', 'text');
    for (const path of [file, join(file, 'workspace')]) {
      const refused = await rejected(Promise.resolve(bench.api.workspaces.create({ path, name: '' })));
      expect([refused.kind, refused.where]).toEqual(['invalid-input', path]);
    }
    expect(await rejected(Promise.resolve(bench.api.workspaces.open({ path: file })))).toMatchObject({
      kind: 'invalid-input',
      where: file,
    });
    expect((await bench.api.workspaces.current({}))?.path).toBe(bench.services.folder);
  });

  it('stays open alone if it is the last of several concurrent requests', async () => {
    const bench = await servicesForTest();
    const home = temporaryFolder();
    const paths = ['a', 'b', 'c'].map((name) => join(home, name));
    const [a, b, again, missing, c] = await Promise.allSettled([
      bench.api.workspaces.create({ path: paths[0], name: '' }),
      bench.api.workspaces.create({ path: paths[1], name: '' }),
      bench.api.workspaces.open({ path: paths[0] }),
      bench.api.workspaces.open({ path: join(home, 'nothing') }),
      bench.api.workspaces.create({ path: paths[2], name: '' }),
    ]);
    expect([a.status, b.status, again.status, missing.status, c.status]).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((await bench.api.workspaces.current({}))?.path).toBe(paths[2]);
    expect(paths.map((path) => existsSync(join(path, 'lock')))).toEqual([false, false, true]);
  });

  it('with a truncated database is reported as damaged', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const first = await createFolder(path);
    await datasetForTest(first.store, 200);
    await first.close();
    truncateSync(join(path, 'workspace.db'), 40_000);
    const error = await rejected(
      (async () => {
        const again = await openFolder(path);
        onTestFinished(() => again.close());
        await again.store.datasets.list();
        const [{ id }] = await again.store.datasets.list();
        await again.store.datasets.rows({ id, offset: 0, limit: 500, search: '', show: 'all' });
      })(),
    );
    expect(error.message).toContain('damaged');
  });

  it('is not created over another workspace, or in a folder with other files', async () => {
    const path = join(temporaryFolder(), 'workspace');
    await (await createFolder(path)).close();
    expect((await rejected(createFolder(path))).kind).toBe('conflict');
    const busy = temporaryFolder();
    writeFileSync(join(busy, 'thesis.tex'), '');
    expect((await rejected(createFolder(busy))).kind).toBe('invalid-input');
    expect(readdirSync(busy)).toEqual(['thesis.tex']);
  });

  it('is copied completely, and its copy opens', async () => {
    const bench = await servicesForTest();
    const { runId } = await bench.api.runs.launch({ spec: smallSpec() });
    await bench.waitForRun(runId);
    const target = join(temporaryFolder(), 'copy');
    const { bytes } = await bench.api.workspaces.backup({ path: target });
    expect(bytes).toBeGreaterThan(10_000);
    expect((await rejected(Promise.resolve(bench.api.workspaces.backup({ path: target })))).kind).toBe(
      'conflict',
    );
    const copy = await servicesForTest({ path: target });
    const [{ path }] = await copy.api.runs.checkpoints({ runId });
    expect(existsSync(join(target, path, 'manifest.json'))).toBe(true);
    const { samples } = await copy.api.runs.samples({
      runIds: [runId],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest',
      offset: 0,
      limit: 5,
    });
    expect((await copy.services.store.samples.tokens(samples[0].id)).tokens).toEqual(
      Int32Array.of(5, 6, 7, 8),
    );
  });

  it('can be copied and measured while a run writes and deletes files', async () => {
    const bench = await servicesForTest();
    const { runId } = await bench.api.runs.launch({
      spec: smallSpec({ budget: { steps: 150, batch: 8 }, checkpoints: { every: 1, keep: 1 } }),
    });
    let over = false;
    const ends = bench.waitForRun(runId).then(() => {
      over = true;
    });
    const failures: unknown[] = [];
    const attempt = (action: Promise<unknown>) => action.catch((error: unknown) => failures.push(error));
    for (let turn = 0; !over; turn += 1) {
      if (turn < 3)
        await attempt(
          Promise.resolve(bench.api.workspaces.backup({ path: join(temporaryFolder(), 'copy') })),
        );
      await attempt(Promise.resolve(bench.api.workspaces.usage({})));
    }
    await ends;
    expect(failures).toEqual([]);
  });

  it.each([
    ['is not JSON', () => '{"method":'],
    [
      'has a field that is unknown to this version',
      (spec: string) => JSON.stringify({ ...(JSON.parse(spec) as object), quantum: true }),
    ],
  ])(
    'shows a run whose stored configuration %s with the reason, and the others unchanged',
    async (_name, broken) => {
      const home = temporaryFolder();
      const before = await servicesIn(home);
      const runIds = await Promise.all(
        ['fine', 'broken'].map(
          async (name) => (await before.api.runs.launch({ spec: smallSpec({ name }) })).runId,
        ),
      );
      for (const runId of runIds) await before.waitForRun(runId);
      await before.close();
      const db = new Database(join(home, 'workspace', 'workspace.db'));
      const { spec } = db
        .prepare<[string], { spec: string }>('select spec from runs where id = ?')
        .get(runIds[1])!;
      db.prepare("update runs set spec = ?, state = 'interrupted' where id = ?").run(broken(spec), runIds[1]);
      db.close();
      const { api, close } = await servicesIn(home);
      onTestFinished(close);
      const [second, first] = await api.runs.list({ archived: false });
      expect(first).toMatchObject({ name: 'fine', error: null, spec: { name: 'fine' } });
      expect(second).toMatchObject({
        name: 'broken',
        spec: null,
        step: 20,
        error: { kind: 'invalid-input', where: 'spec', hint: expect.any(String) as string },
      });
      expect(await rejected(Promise.resolve(api.runs.resume({ id: runIds[1] })))).toMatchObject({
        kind: 'invalid-input',
        where: 'spec',
      });
      expect((await api.runs.get({ id: runIds[1] })).state).toBe('interrupted');
      expect((await api.compare.overview({ runIds })).rows.map(({ name }) => name)).toEqual([
        'fine',
        'broken',
      ]);
      await api.runs.remove({ id: runIds[1] });
      expect(await api.runs.list({ archived: false })).toHaveLength(1);
    },
  );

  it('deletes only unreferenced files', async () => {
    const bench = await servicesForTest();
    const { runId } = await bench.api.runs.launch({ spec: smallSpec() });
    await bench.waitForRun(runId);
    const stray = join(bench.services.folder, 'artifacts', 'uploads', 'x', 'left.jsonl');
    mkdirSync(join(stray, '..'), { recursive: true });
    appendFileSync(stray, 'x'.repeat(1000));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(stray, longAgo, longAgo);
    expect((await bench.api.workspaces.usage({})).unusedBytes).toBe(1000);
    expect(await bench.api.workspaces.collect({})).toEqual({ freedBytes: 1000 });
    expect(existsSync(stray)).toBe(false);
    const { samples } = await bench.api.runs.samples({
      runIds: [runId],
      purpose: null,
      promptId: null,
      step: null,
      order: 'newest',
      offset: 0,
      limit: 5,
    });
    expect((await bench.services.store.samples.tokens(samples[0].id)).behaviorLogp).toHaveLength(2);
  });
});
