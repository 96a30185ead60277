import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Config } from '../../main/services/config.ts';
import { openFolder } from '../../main/store/folder.ts';
import { openServices } from '../../main/headless/open.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, servicesIn, smallSpec } from '../support/workspace.ts';

/** All paths under a folder, including itself, that other users of the machine can read. */
function readableByOthers(path: string): string[] {
  const facts = statSync(path);
  const own = (facts.mode & 0o077) === 0 ? [] : [`${path} ${(facts.mode & 0o777).toString(8)}`];
  return facts.isDirectory()
    ? [...own, ...readdirSync(path).flatMap((name) => readableByOthers(join(path, name)))]
    : own;
}

/** Sets the permissions that an earlier version used. */
function openUp(path: string): void {
  const isFolder = statSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o755 : 0o644);
  if (isFolder) for (const name of readdirSync(path)) openUp(join(path, name));
}

/** Uses each feature that writes files. */
async function use(home: string, path: string): Promise<void> {
  const bench = await servicesIn(home, { path, engine: null });
  const { api, services } = bench;
  try {
    const { path: uploaded } = await api.datasets.upload({
      name: 'rows.jsonl',
      bytes: new TextEncoder().encode('{"prompt":"1+1=","answer":"2"}\n'),
    });
    expect(existsSync(uploaded)).toBe(true);
    const datasetId = await datasetForTest(services.store, 12);
    const set = await api.labels.createSet({
      name: '',
      from: { kind: 'dataset', datasetId },
      pairsPerPrompt: 2,
      onlyDiffering: false,
      seed: 0,
    });
    const { pairs } = await api.labels.pairs({ setId: set.id, offset: 0, limit: 100 });
    await api.labels.decideMany({
      labeler: 'me',
      decisions: pairs.map(({ pairId }) => ({ pairId, verdict: 'a' })),
    });
    await services.store.labelSets.exportPreferences(set.id);
    await services.store.datasets.exportDemonstrations(datasetId);
    const { runId } = await api.runs.launch({ spec: smallSpec({ budget: { steps: 2, batch: 2 } }) });
    expect((await bench.waitForRun(runId)).state).toBe('done');
    await api.compare.report({ runIds: [runId], title: 'one', path: null });
    await api.workspaces.backup({ path: join(home, 'kept', 'copy') });
    // while it is open, with the lock and SQLite's own files next to the database
    expect(readdirSync(path)).toEqual(
      expect.arrayContaining(['lock', 'workspace.db', 'workspace.db-wal', 'workspace.db-shm']),
    );
    expect(readableByOthers(path)).toEqual([]);
  } finally {
    await bench.close();
  }
}

describe.skipIf(process.platform === 'win32')('other users of the machine cannot read', () => {
  it('a file of a workspace, of its copy, or of the settings, after use of every feature', async () => {
    const home = temporaryFolder();
    const path = join(home, 'workspaces', 'one');
    await use(home, path);
    expect([path, join(home, 'kept', 'copy'), join(home, 'config')].flatMap(readableByOthers)).toEqual([]);
    // parent folders keep the user's default permissions
    expect(
      [join(home, 'workspaces'), join(home, 'kept')].map((folder) =>
        (statSync(folder).mode & 0o777).toString(8),
      ),
    ).toEqual(['755', '755']);
  });

  it('files that an earlier version left readable, once the workspace is reopened', async () => {
    const home = temporaryFolder();
    const path = join(home, 'workspace');
    await use(home, path);
    writeFileSync(join(path, 'workspace.db.before-5-1'), 'a copy before a migration');
    writeFileSync(join(path, 'notes.txt'), 'of the person');
    for (const folder of [path, join(home, 'config')]) openUp(folder);
    const again = await openFolder(path);
    await again.close();
    new Config(join(home, 'config')).set('theme', 'dark');
    expect(readableByOthers(path).map((found) => found.slice(path.length))).toEqual(['/notes.txt 644']);
    expect(readableByOthers(join(home, 'config'))).toEqual([]);
  });

  it('a workspace created in an empty folder; the target of a link is left unchanged', async () => {
    const home = temporaryFolder();
    const path = join(home, 'workspace');
    mkdirSync(join(path, 'artifacts'), { recursive: true });
    writeFileSync(join(home, 'elsewhere'), '');
    chmodSync(join(home, 'elsewhere'), 0o644);
    symlinkSync(join(home, 'elsewhere'), join(path, 'artifacts', 'link'));
    const bench = await openServices({
      workspacePath: path,
      create: true,
      config: new Config(join(home, 'config')),
    });
    onTestFinished(() => bench.close());
    expect((statSync(path).mode & 0o777).toString(8)).toBe('700');
    expect((statSync(join(home, 'elsewhere')).mode & 0o777).toString(8)).toBe('644');
  });

  it('anything except files that the user writes elsewhere, which get default permissions', async () => {
    const home = temporaryFolder();
    const bench = await servicesIn(home, { engine: null });
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (isOpen) await bench.close();
      isOpen = false;
    };
    onTestFinished(close);
    const { api, services } = bench;
    const set = await api.labels.createSet({
      name: '',
      from: { kind: 'dataset', datasetId: await datasetForTest(services.store) },
      pairsPerPrompt: 1,
      onlyDiffering: false,
      seed: 0,
    });
    await api.labels.export({ setId: set.id, path: join(home, 'labels.jsonl') });
    const { runId } = await api.runs.launch({ spec: smallSpec({ budget: { steps: 1, batch: 2 } }) });
    await bench.waitForRun(runId);
    await api.compare.report({ runIds: [runId], title: 'one', path: join(home, 'report.html') });
    const [{ id }] = await api.runs.checkpoints({ runId });
    const exported = api.models.export(
      { from: { kind: 'checkpoint', id }, to: join(home, 'model'), merge: false, dtype: null },
      new AbortController().signal,
    );
    for await (const { result } of exported) if (result) expect(result.path).toBe(join(home, 'model'));
    const { folder: workspace } = services;
    await close();
    const source = ['--checkpoint', id, '--workspace', workspace];
    expect(await cli('export', ...source, '--to', join(home, 'model of a command'))).toMatchObject({
      code: 0,
    });
    const models = ['model', 'model of a command'];
    const files = models.flatMap((model) => readdirSync(join(home, model)).map((name) => join(model, name)));
    const modes = ['labels.jsonl', 'report.html', ...models, ...files].map(
      (name) => `${name} ${(statSync(join(home, name)).mode & 0o777).toString(8)}`,
    );
    writeFileSync(join(home, 'usual'), '');
    mkdirSync(join(home, 'usual folder'));
    const [file, folder] = ['usual', 'usual folder'].map((name) =>
      (statSync(join(home, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(
      modes.map((each) =>
        each.replace(/ \d+$/, ` ${/^model( of a command)? \d/.test(each) ? folder : file}`),
      ),
    );
  });
});
