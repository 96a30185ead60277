import { execFile, fork } from 'node:child_process';
import { on, once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createPackage, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildStale } from '../../main/checkout/build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [lit, blown] = ['1', '0'].map((state) => state.charCodeAt(0));

/**
 * Tests the packaging rules without Electron's binary: a stand-in distribution contains what electron-builder
 * modifies, including the marker before the fuses. electron-builder queries npm for the packages to include,
 * and npm does not list through a linked node_modules.
 */
const linked = lstatSync(join(root, 'node_modules')).isSymbolicLink();
if (linked)
  console.warn('Packaging rules skipped: node_modules is a link, and npm lists no packages through it.');

const systems = [
  {
    system: 'linux',
    folder: 'linux-unpacked',
    executable: 'whetstone',
    natives: [/linux-x64\.node$/, /linux\/x64\/.+\.(node|so\.1)$/],
    largestMB: 60,
  },
  {
    system: 'win',
    folder: 'win-unpacked',
    executable: 'Whetstone.exe',
    natives: [/win32-x64\.node$/, /win32\/x64\/.+\.(node|dll)$/],
    largestMB: 90,
  },
] as const;

describe.skipIf(linked)('the packaged app', () => {
  const work = mkdtempSync(join(tmpdir(), 'whetstone-package-'));
  const distribution = join(work, 'electron');

  beforeAll(async () => {
    await buildStale();
    await standIn(distribution);
  }, 180_000);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  describe.each(systems)('for $system', ({ system, folder, executable, natives, largestMB }) => {
    const app = join(work, system, folder);
    const resources = join(app, 'resources');
    let packed: string[];
    beforeAll(async () => {
      // Editing the .exe is the one step that a stand-in does not support.
      const settings = [
        `electronDist=${distribution}`,
        `directories.output=${join(work, system)}`,
        'win.signAndEditExecutable=false',
        `disableAsarIntegrity=${system === 'win'}`,
      ];
      await promisify(execFile)(
        process.execPath,
        [
          join(root, 'node_modules/electron-builder/cli.js'),
          `--${system}`,
          '--x64',
          '--dir',
          '--publish=never',
          ...settings.map((s) => `-c.${s}`),
        ],
        { cwd: root },
      );
      packed = listPackage(join(resources, 'app.asar'), { isPack: false }).map((path) =>
        path.replaceAll('\\', '/').slice(1),
      );
    }, 180_000);

    it('contains the bundles and the page, and no sources, maps or tests', () => {
      expect(packed).toEqual(
        expect.arrayContaining([
          'package.json',
          'dist/main/app.js',
          'dist/main/sandbox-process.js',
          'dist/main/sql-process.js',
          'dist/main/watchdog-worker.js',
          'dist/main/quickjs.wasm',
          'dist/main/sqlite.wasm',
          'dist/preload/index.cjs',
          'dist/renderer/index.html',
          'assets/icon.png',
        ]),
      );
      expect(
        packed.filter((path) =>
          /\.(ts|svelte|map)$|^(engine|main|renderer|tests)\/|^dist\/main\/cli/.test(path),
        ),
      ).toEqual([]);
    });
    it('includes only native packages, with the binaries of its own system', () => {
      const packages = new Set(
        packed.filter((path) => path.startsWith('node_modules/')).map((path) => path.split('/')[1]),
      );
      expect([...packages].filter(Boolean).sort()).toEqual([
        'better-sqlite3',
        'onnxruntime-common',
        'onnxruntime-node',
      ]);
      const binaries = packed.filter((path) => /\.(node|so\.1|so|dll|dylib)$/.test(path));
      for (const native of natives) expect(binaries.some((path) => native.test(path))).toBe(true);
      expect(binaries.filter((path) => !natives.some((native) => native.test(path)))).toEqual([]);
    });
    it(`is at most ${largestMB} MB without Electron`, () =>
      expect(megabytes(resources)).toBeLessThanOrEqual(largestMB));
    it('has its fuses set', async () => {
      const wire = await getCurrentFuseWire(join(app, executable));
      expect(wire[FuseV1Options.RunAsNode]).toBe(blown);
      expect(wire[FuseV1Options.EnableNodeOptionsEnvironmentVariable]).toBe(blown);
      expect(wire[FuseV1Options.EnableNodeCliInspectArguments]).toBe(blown);
      expect(wire[FuseV1Options.GrantFileProtocolExtraPrivileges]).toBe(blown);
      expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(lit);
      expect(wire[FuseV1Options.EnableEmbeddedAsarIntegrityValidation]).toBe(lit);
    });
  });

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'starts its engine and its store from the unpacked files alone',
    async () => {
      const unpacked = join(work, 'linux/linux-unpacked/resources/app.asar.unpacked/dist/main');
      const engine = fork(join(unpacked, 'engine-process.js'), [], {
        serialization: 'advanced',
        execArgv: [],
      });
      const messages = on(engine, 'message', { close: ['exit'] });
      const next = async () =>
        (((await messages.next()).value as [unknown] | undefined) ?? ['the engine ended'])[0];
      expect(await next()).toEqual({ type: 'ready', pid: engine.pid });
      engine.send({ type: 'call', id: 1, name: 'devices', input: {} });
      expect(await next()).toMatchObject({
        type: 'reply',
        id: 1,
        output: expect.arrayContaining([expect.objectContaining({ id: 'cpu', error: null })]) as unknown,
      });
      engine.send({
        type: 'call',
        id: 2,
        name: 'trySnippet',
        input: { code: '(row) => row.tokens', world: { id: 'toy/copy', params: {} } },
      });
      expect(await next()).toMatchObject({
        type: 'reply',
        id: 2,
        output: expect.arrayContaining([expect.objectContaining({ value: 3, error: null })]) as unknown,
      });
      engine.kill('SIGKILL');

      const folder = join(work, 'workspace');
      mkdirSync(folder);
      const store = new Worker(join(unpacked, 'store-worker.js'), {
        workerData: { folder, create: true, role: 'writer' },
      });
      const [reply] = (await once(store, 'message')) as [{ id: number; error?: unknown }];
      await store.terminate();
      expect(reply).toEqual({ id: 0, output: undefined, slices: 0 });
      expect(existsSync(join(folder, 'workspace.db'))).toBe(true);
    },
  );
});

async function standIn(folder: string): Promise<void> {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'default'));
  writeFileSync(join(folder, 'default', 'main.js'), '');
  await createPackage(join(folder, 'default'), join(folder, 'resources', 'default_app.asar'));
  rmSync(join(folder, 'default'), { recursive: true });
  // Version 1, nine fuses, all off: the state that electron-builder must change.
  const fuses = Buffer.concat([
    Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
    Buffer.from([1, 9]),
    Buffer.from('0'.repeat(9)),
  ]);
  for (const name of ['electron', 'electron.exe'])
    writeFileSync(join(folder, name), Buffer.concat([Buffer.alloc(64), fuses]), { mode: 0o755 });
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'version']) writeFileSync(join(folder, name), '');
}

function megabytes(folder: string): number {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
  );
}
