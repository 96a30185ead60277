import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { WhetstoneError } from '../../../engine/common/errors.ts';
import { importLogs, listLogs } from '../../../main/logs/index.ts';
import type { StoreClient } from '../../../main/store/client.ts';
import type { LogImportProgress } from '../../../preload/contract/logs.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { importedFacts, importedForTest, pointsOf } from '../../support/log-cases.ts';
import { parsedSpec, servicesForTest, workspaceForTest } from '../../support/workspace.ts';

const logs = fileURLToPath(new URL('../../support/oracles/logs/', import.meta.url));
const go = new AbortController().signal;
const quiet = () => undefined;

const imported = (store: StoreClient, path: string, own: { name?: string; keys?: string[] } = {}) =>
  importLogs(store, { path, ...own }, go, quiet);
const stored = async (store: StoreClient) => (await store.runs.list(false)).map(({ name }) => name);
const curve = async (store: StoreClient, runId: string, name: string) => {
  const [series] = await store.metrics.series({
    runIds: [runId],
    names: [name],
    from: 0,
    to: null,
    points: 20_000,
  });
  return [...series.steps].map((step, i) => [step, series.values[i]]);
};
const linesIn = (lines: readonly string[], name = 'metrics.jsonl'): string => {
  const path = join(temporaryFolder(), 'a run', name);
  mkdirSync(join(path, '..'));
  writeFileSync(path, lines.join('\n'));
  return path;
};

describe('an import of logs', () => {
  it('makes each run of a folder one of the workspace, which says where it came from', async () => {
    const { store } = await workspaceForTest();
    const { runs, leftOut } = await imported(store, logs);
    expect(leftOut).toEqual([]);
    expect(runs).toHaveLength(10);
    const run = runs.find(({ imported }) => imported?.tool === 'wandb');
    expect(run).toMatchObject({
      name: 'dpo, seed 1',
      method: 'Weights & Biases',
      state: 'done',
      spec: null,
      error: null,
      step: 61,
      imported: { path: join(logs, 'run-fixed.wandb'), points: 123 },
    });
    expect(await store.importedRuns.config(run?.id ?? '')).toMatchObject({ beta: 0.1 });
    expect(new Set(await stored(store))).toEqual(new Set(runs.map(({ name }) => name)));
  });

  it('keeps NaN and the infinities, and warns of the first one as of a run that was trained here', async () => {
    const { store } = await workspaceForTest();
    const { runs } = await imported(store, join(logs, 'run-fixed.wandb'));
    expect((await curve(store, runs[0].id, 'loss')).at(-1)).toEqual([60, Number.NaN]);
    expect(await curve(store, runs[0].id, 'big')).toEqual([[60, Infinity]]);
    expect(runs[0].warnings.map(({ kind }) => kind)).toEqual(['not-finite']);
  });

  it('shows the last of several points at one step, when a trainer resumed', async () => {
    const { store } = await workspaceForTest();
    const { runs } = await imported(store, join(logs, 'tensorboard', 'seed-1'));
    const loss = await curve(store, runs[0].id, 'loss');
    expect(loss.map(([step]) => step)).toEqual(Array.from({ length: 30 }, (_none, i) => i));
    expect(loss[14][1]).toBeCloseTo(1 / 15);
    expect(loss[15][1]).toBeCloseTo(2 / 16);
    expect(runs[0].imported?.repeated).toBe(5);
  });

  it('is refused the second time, wherever the file is, and possible again once the run is deleted', async () => {
    const { store } = await workspaceForTest();
    const { runs } = await imported(store, join(logs, 'verl.log'), { name: 'mine' });
    const copy = join(temporaryFolder(), 'copy.log');
    cpSync(join(logs, 'verl.log'), copy);
    expect(await rejected(imported(store, copy))).toMatchObject({
      kind: 'conflict',
      message: "This log was imported already, as 'mine'.",
    });
    await store.runs.remove(runs[0].id);
    expect((await imported(store, copy)).runs).toHaveLength(1);
  });

  it('of a folder leaves out what the workspace has, and says it', async () => {
    const { store } = await workspaceForTest();
    await imported(store, join(logs, 'tensorboard', 'tensors'));
    const { runs, leftOut } = await imported(store, join(logs, 'tensorboard'));
    expect(runs.map(({ name }) => name)).toEqual(['hparams', 'seed-1']);
    expect(leftOut).toMatchObject([{ name: 'tensors', reason: "imported already, as 'tensors'" }]);
    expect((await rejected(imported(store, join(logs, 'tensorboard')))).kind).toBe('conflict');
  });

  it('takes the chosen runs only, and begins their names as told', async () => {
    const { store } = await workspaceForTest();
    const found = await listLogs(join(logs, 'tensorboard'));
    const keys = found.map(({ key }) => key).filter((key) => !key.includes('hparams'));
    const { runs } = await imported(store, join(logs, 'tensorboard'), { keys, name: 'A' });
    expect(runs.map(({ name }) => name)).toEqual(['A seed-1', 'A tensors']);
    const unknown = await rejected(imported(store, join(logs, 'tensorboard'), { keys: ['gone'] }));
    expect(unknown).toMatchObject({ kind: 'not-found' });
  });

  it('stores nothing at all if one of several files is broken, and names the file and the place', async () => {
    const { store } = await workspaceForTest();
    const folder = temporaryFolder();
    cpSync(join(logs, 'verl.log'), join(folder, 'a.log'));
    mkdirSync(join(folder, 'b'));
    const path = join(folder, 'b', 'metrics.jsonl');
    writeFileSync(path, '{"step": 1, "loss": 1}\nno json\n{"step": 2, "loss": 1}\n');
    expect(await rejected(imported(store, folder))).toMatchObject({
      kind: 'invalid-input',
      where: `${path}, line 2`,
    });
    expect(await stored(store)).toEqual([]);
  });

  it('can be cancelled while it reads, and stores nothing', async () => {
    const { store } = await workspaceForTest();
    const line = (step: number) => JSON.stringify({ step, loss: step });
    const path = linesIn(Array.from({ length: 200_000 }, (_none, step) => line(step)));
    const stop = new AbortController();
    const report = ({ state }: LogImportProgress) => state === 'reading' && stop.abort();
    expect((await rejected(importLogs(store, { path }, stop.signal, report))).kind).toBe('cancelled');
    expect(await stored(store)).toEqual([]);
    expect((await imported(store, path)).runs[0]).toMatchObject({ step: 199_999 });
  });

  it('reports the bytes read, which never fall and end at all of them', async () => {
    const { store } = await workspaceForTest();
    const seen: number[] = [];
    let total = 0;
    await importLogs(store, { path: logs }, go, (progress) => {
      if (progress.state !== 'reading') return;
      seen.push(progress.bytes);
      total = progress.totalBytes;
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(total);
  });
});

describe('a file that is still written or damaged', () => {
  it('is read up to the incomplete record, and its run says so', async () => {
    const { store } = await workspaceForTest();
    const whole = readFileSync(join(logs, 'run-fixed.wandb'));
    const path = join(temporaryFolder(), 'run-live.wandb');
    writeFileSync(path, whole.subarray(0, 9000));
    const { runs } = await imported(store, path);
    expect(runs[0].imported?.points).toBeGreaterThan(10);
    expect(runs[0].imported?.damage).toMatch(/run-live\.wandb, byte \d+: the last record is incomplete/);
  });

  it('of JSON lines is read up to the line that is cut off', async () => {
    const { store } = await workspaceForTest();
    const path = linesIn(['{"step": 1, "loss": 1}', '{"step": 2, "lo']);
    const { runs } = await imported(store, path);
    expect(await curve(store, runs[0].id, 'loss')).toEqual([[1, 1]]);
    expect(runs[0].imported?.damage).toContain('line 2');
    expect(runs[0].name).toBe('a run');
  });

  it('is refused if not even its beginning can be read, with the file and the byte', async () => {
    const { store } = await workspaceForTest();
    const [events, wandb] = ['events.out.tfevents.1.host', 'run-x.wandb'].map((name) =>
      join(temporaryFolder(), name),
    );
    for (const path of [events, wandb])
      writeFileSync(path, 'this is neither of them, but long enough to be read');
    for (const path of [events, wandb])
      expect(await rejected(imported(store, path))).toMatchObject({
        kind: 'invalid-input',
        where: `${path}, byte 0`,
      });
  });

  it.each([
    ['an empty folder', (folder: string) => folder, 'invalid-input', 'No log'],
    ['nothing', (folder: string) => join(folder, 'nowhere'), 'not-found', 'no such file'],
  ])('is no log: %s', async (_what, pathOf, kind, message) => {
    const { store } = await workspaceForTest();
    const error = await rejected(imported(store, pathOf(temporaryFolder())));
    expect(error).toMatchObject({ kind });
    expect(error.message).toContain(message);
  });

  it('without a number is refused, and says what it held instead', async () => {
    const { store } = await workspaceForTest();
    const empty = join(temporaryFolder(), 'events.out.tfevents.1.host');
    writeFileSync(empty, '');
    const error: WhetstoneError = await rejected(imported(store, empty));
    expect(error).toMatchObject({ kind: 'invalid-input', message: 'Nothing can be imported from here.' });
    expect(error.hint).toContain('it holds no numbers');
  });
});

describe('an imported run', () => {
  it('cannot be resumed, scored or continued, and says why', async () => {
    const { services } = await servicesForTest();
    const id = await importedForTest(services.store);
    const message = expect.stringContaining('was imported from a log') as string;
    expect(await rejected(services.queue.resume(id))).toMatchObject({ kind: 'conflict', message });
    expect(await services.store.runs.nextQueued()).toEqual([]);
  });

  it('can be renamed, archived, compared with a run that was trained here, and reported', async () => {
    const { services, api } = await servicesForTest();
    const id = await importedForTest(services.store);
    const other = await services.store.runs.create(parsedSpec({ name: 'own' }), []);
    expect(await api.runs.edit({ id, name: 'renamed', tags: ['theirs'] })).toMatchObject({ name: 'renamed' });
    const { rows, differences } = await api.compare.overview({ runIds: [id, other.id] });
    expect(rows.map(({ name }) => name)).toEqual(['renamed', 'own']);
    expect(differences.find(({ path }) => path === 'learning_rate')?.values).toEqual([0.1, null]);
    const { html } = await api.compare.report({ runIds: [id, other.id], title: 'Both', path: null });
    expect(html).toContain('renamed');
    await api.runs.archive({ id, archived: true });
    expect((await api.runs.list({ archived: true })).map((run) => run.id)).toEqual([id]);
    for (const answer of [api.runs.results({ id }), api.runs.checkpoints({ runId: id })])
      expect(await answer).toEqual([]);
    expect(await api.runs.difference({ id })).toBeNull();
    await api.runs.remove({ id });
    await expect(api.logs.config({ id })).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('holds more points than a chunk in the order of its log, across messages', async () => {
    const { store } = await workspaceForTest();
    const values = Array.from({ length: 10_000 }, (_none, i) => Math.sin(i));
    const id = await store.importedRuns.stage('TensorBoard');
    await store.importedRuns.append(id, [pointsOf('loss', values.slice(0, 6000))]);
    await store.importedRuns.append(id, [pointsOf('loss', values.slice(6000), 6000)]);
    await store.importedRuns.finish([importedFacts(id)]);
    expect((await curve(store, id, 'loss')).map(([, value]) => value)).toEqual(values);
    expect(await store.metrics.extent(id)).toEqual({ points: 10_000, first: 0, last: 9999 });
  });

  it('is not half stored if the workspace got the same log meanwhile', async () => {
    const { store } = await workspaceForTest();
    await importedForTest(store, undefined, { origin: { ...importedFacts('').origin, hash: 'same' } });
    const ids = [await store.importedRuns.stage('verl'), await store.importedRuns.stage('verl')];
    const runs = ids.map((id) => importedFacts(id, { name: id }));
    runs[1] = { ...runs[1], origin: { ...runs[1].origin, hash: 'same' } };
    expect(await rejected(store.importedRuns.finish(runs))).toMatchObject({ kind: 'conflict' });
    expect(await stored(store)).toEqual(['imported']);
  });
});
