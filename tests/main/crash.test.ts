import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { importDataset } from '../../main/import/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { createFolder, openFolder } from '../../main/store/folder.ts';
import { lockWorkspace, processStart } from '../../main/store/lock.ts';
import { madeBy } from '../support/derived.ts';
import { caught, rejected } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest } from '../support/workspace.ts';

const labelingChild = fileURLToPath(new URL('../support/labeling-child.ts', import.meta.url));

const copyingChild = fileURLToPath(new URL('../support/copying-child.ts', import.meta.url));

const runningChild = fileURLToPath(new URL('../support/running-child.ts', import.meta.url));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts the labeler and kills it after `after` labels; returns the lines that it had printed. */
async function labelAndKill(path: string, setId: string, after: number): Promise<string[]> {
  const child = spawn(process.execPath, [labelingChild, path, setId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > after) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return output.split('\n').slice(0, -1);
}

describe('a crash', () => {
  it('while labeling loses no accepted label, and the next start takes over the lock', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const first = await createFolder(path);
    const datasetId = await datasetForTest(first.store, 60);
    const set = await first.store.labelSets.create({
      name: '',
      from: { kind: 'dataset', datasetId },
      pairsPerPrompt: 4,
      onlyDiffering: false,
      seed: 0,
    });
    await first.close();
    for (const after of [7, 20]) {
      const accepted = await labelAndKill(path, set.id, after);
      expect(accepted.length).toBeGreaterThanOrEqual(after);
      expect(existsSync(join(path, 'lock'))).toBe(true);
      const again = await openFolder(path);
      const { pairs } = await again.store.labelSets.pairs(set.id, 0, 1000);
      const labeled = new Set(pairs.filter((p) => p.verdict !== null).map((p) => p.pairId));
      expect(accepted.filter((id) => !labeled.has(id))).toEqual([]);
      await again.close();
    }
  });

  it.each(['before the first label is stored', 'when some labels are stored'])(
    'or closing %s leaves an import of labels whole or absent',
    async (moment) => {
      const path = join(temporaryFolder(), 'workspace');
      const first = await createFolder(path);
      const datasetId = await datasetForTest(first.store, 1500);
      const { labelSets } = first.store;
      const set = await labelSets.create({
        name: '',
        from: { kind: 'dataset', datasetId },
        pairsPerPrompt: 1,
        onlyDiffering: false,
        seed: 0,
      });
      const pairs = (await Promise.all([0, 1000].map((at) => labelSets.pairs(set.id, at, 1000)))).flatMap(
        (page) => page.pairs,
      );
      const label = { verdict: 'a', value: null, labeler: 'ann', at: null, rationale: '' } as const;
      const additions = pairs.map(({ pairId }, line) => ({ ...label, line, pairId }));
      const stored = first.store.labelImport
        .store(set.id, additions, 'labels.json')
        .catch(WhetstoneError.from);
      const labeled = async (store: typeof first.store) => (await store.labels.progress(set.id)).labeled;
      const isSome = moment.startsWith('when');
      while (isSome && (await labeled(first.store)) === 0);
      await first.close();
      await stored;
      const again = await openFolder(path);
      onTestFinished(() => again.close());
      const imports = await again.store.labelImport.list(set.id);
      if (isSome) expect(imports).toHaveLength(1);
      const expected = imports.length > 0 ? pairs.length : 0;
      await vi.waitFor(async () => expect(await labeled(again.store)).toBe(expected), 20_000);
    },
    60_000,
  );

  it('during a run loses no published point, interrupts the run, and leaves no engine process behind', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const child = spawn(process.execPath, [runningChild, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let shown: number[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown = text.trimEnd().split('\n').at(-1)?.split(' ').map(Number) ?? shown;
      if (shown[1] >= 10) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const [enginePid, step] = shown;
    const again = await openFolder(path);
    onTestFinished(() => again.close());
    const [run] = await again.store.runs.list(false);
    expect(run).toMatchObject({
      state: 'interrupted',
      error: { message: 'Whetstone was closed during this run.' },
    });
    const [{ steps }] = await again.store.metrics.series({
      runIds: [run.id],
      names: ['loss'],
      from: 0,
      to: null,
      points: 20_000,
    });
    expect([...steps]).toEqual(Array.from(steps, (_none, i) => i + 1));
    expect(steps.length).toBeGreaterThanOrEqual(step);
    await expect.poll(() => isAlive(enginePid), { timeout: 60_000 }).toBe(false);
  });

  it.each(['import', 'derive'])(
    'by kill −9 in the middle of a long %s leaves no partial dataset, and it succeeds the next time',
    async (work) => {
      const path = join(temporaryFolder(), 'workspace');
      const file = join(temporaryFolder(), 'long.jsonl');
      const line = (at: number) =>
        JSON.stringify({ prompt: `question ${at}`, completion: 'an answer '.repeat(40) });
      writeFileSync(file, Array.from({ length: 30_000 }, (_none, at) => line(at)).join('\n'));
      const child = spawn(process.execPath, [copyingChild, path, file, work], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stored = 0;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stored = Number(text.trimEnd().split('\n').at(-1));
        if (stored > 0) child.kill('SIGKILL');
      });
      await once(child, 'close');
      expect(stored).toBeGreaterThan(0);
      expect(stored).toBeLessThan(30_000);
      const again = await openFolder(path);
      onTestFinished(() => again.close());
      const before = await again.store.datasets.list();
      expect(before.map(({ name, rows }) => ({ name, rows }))).toEqual(
        work === 'import' ? [] : [{ name: 'long', rows: 30_000 }],
      );
      if (work === 'import')
        await importDataset(
          again.store,
          { path: file, name: '', keepGoodLines: false },
          new AbortController().signal,
          () => undefined,
        );
      else
        await madeBy(again.store, {
          kind: 'query',
          from: { datasetId: before[0].id, query: '' },
          marks: false,
        });
      const after = await again.store.datasets.list();
      expect(after.map(({ rows }) => rows)).toEqual(after.map(() => 30_000));
      expect(after).toHaveLength(before.length + 1);
    },
  );

  it('during an import leaves no partial dataset', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const first = await createFolder(path);
    const id = await first.store.datasets.stage({ name: 'half', source: 'x' });
    await first.store.datasets.append(
      id,
      [
        {
          row: 0,
          line: 1,
          promptId: 'p',
          prompt: 'q',
          answer: 'a',
          reference: null,
          correct: null,
          source: '',
        },
      ],
      [],
    );
    expect(await first.store.datasets.list()).toEqual([]);
    await first.close();
    const again = await openFolder(path);
    expect(await again.store.datasets.list()).toEqual([]);
    expect((await rejected(again.store.datasets.finish(id, { hash: '', doctor: {} as never }))).kind).toBe(
      'not-found',
    );
    await again.close();
  });
});

describe('the lock', () => {
  it.runIf(process.platform === 'linux')('of a zombie process is taken over', async () => {
    // the shell's child exits once the shell has been replaced by a program that never waits for it
    const parent = spawn('sh', ['-c', 'sh -c "read start; exit 0" <&3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(String(((await once(parent.stdout!, 'data')) as [Buffer])[0]));
    // until then the shell would take note of its end, and no zombie would be left
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toContain('sleep'), {
      timeout: 30_000,
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, started: processStart(pid) }));
    expect(caught(() => lockWorkspace(folder)).kind).toBe('conflict');
    (parent.stdio[3] as Writable).end('go\n');
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '), {
      timeout: 30_000,
    });
    lockWorkspace(folder)();
  });
  const folderForTest = (): string => {
    const folder = join(temporaryFolder(), 'w');
    mkdirSync(folder);
    return folder;
  };

  it('names the process that holds the workspace', async () => {
    const path = join(temporaryFolder(), 'workspace');
    const holder = await createFolder(path);
    onTestFinished(() => holder.close());
    const error = await rejected(openFolder(path));
    expect([error.kind, error.message]).toEqual([
      'conflict',
      `This workspace is open in another Whetstone (process ${process.pid}).`,
    ]);
  });
  it('of a process that has ended, or whose number belongs to another process, is taken over', () => {
    const folder = folderForTest();
    for (const stale of [
      { pid: 0x7ffffffe, started: '1' },
      { pid: process.pid, started: 'earlier' },
    ]) {
      writeFileSync(join(folder, 'lock'), JSON.stringify(stale));
      const unlock = lockWorkspace(folder);
      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toEqual({
        pid: process.pid,
        started: processStart(process.pid),
        id: expect.any(String),
      });
      unlock();
    }
  });
  describe.each(['EPERM', 'ENOTSUP'])('where hard links fail with %s', (code) => {
    const link = (): never => {
      throw Object.assign(new Error(`${code}: no hard links here`), { code });
    };

    it('is still acquired, refused to others, taken over from an ended process, and released', () => {
      const folder = folderForTest();
      const unlock = lockWorkspace(folder, { link });
      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
      expect(caught(() => lockWorkspace(folder, { link })).kind).toBe('conflict');
      expect(caught(() => lockWorkspace(folder)).kind).toBe('conflict');
      unlock();
      writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: 0x7ffffffe, started: '1' }));
      lockWorkspace(folder, { link })();
      expect(readdirSync(folder)).toEqual([]);
    });

    it('is lost to a process that mistook it for a stale lock while its creator had not written it yet', () => {
      const folder = folderForTest();
      const path = join(folder, 'lock');
      let unlock = (): void => undefined;
      const sleepy = (file: number, text: string): void => {
        utimesSync(path, new Date(0), new Date(0));
        unlock = lockWorkspace(folder, { link });
        writeSync(file, text);
      };
      expect(caught(() => lockWorkspace(folder, { link, fill: sleepy })).kind).toBe('conflict');
      const held = readFileSync(path, 'utf8');
      expect(held).toContain(`"pid":${process.pid},`);
      expect(caught(() => lockWorkspace(folder, { link })).kind).toBe('conflict');
      unlock();
      expect(readdirSync(folder)).toEqual([]);
    });

    it('is released only by its holder', () => {
      const folder = folderForTest();
      const first = lockWorkspace(folder, { link });
      // someone has deleted the lock by hand, and another process holds it now
      rmSync(join(folder, 'lock'));
      const second = lockWorkspace(folder, { link });
      first();
      expect(readdirSync(folder)).toEqual(['lock']);
      second();
      expect(readdirSync(folder)).toEqual([]);
    });
  });
  it('that is still being written is waited for; an incomplete one is taken over', async () => {
    const folder = folderForTest();
    // a child that creates its lock and writes it later, as on a file system without hard links
    const child = spawn(
      process.execPath,
      [
        '-e',
        `
      const { openSync, writeSync } = require('node:fs');
      const file = openSync(process.argv[1], 'wx');
      process.stdout.write('made');
      setTimeout(() => writeSync(file, JSON.stringify({ pid: process.pid, started: null })), 200);
      setTimeout(() => {}, 60_000);`,
        join(folder, 'lock'),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(caught(() => lockWorkspace(folder)).message).toContain(`process ${child.pid}`);
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
    writeFileSync(join(folder, 'lock'), '{"pid":');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(folder, 'lock'), longAgo, longAgo);
    lockWorkspace(folder)();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });
  it('that was released can be acquired again', () => {
    const folder = folderForTest();
    const unlock = lockWorkspace(folder);
    expect(caught(() => lockWorkspace(folder)).kind).toBe('conflict');
    unlock();
    lockWorkspace(folder)();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });
});
