import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, type BuildOptions } from 'esbuild';
import { build as buildPage } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundled main is a file per thread and process: the store, an import and the engine do not run in main. The
 * command line does not ship; tests start it often, and a bundle starts faster.
 */
const mainEntries = {
  app: 'main/desktop/app.ts',
  cli: 'main/cli.ts',
  'store-worker': 'main/store/worker.ts',
  'import-worker': 'main/import/worker.ts',
  'logs-worker': 'main/logs/worker.ts',
  'doctor-worker': 'main/use-cases/doctor/worker.ts',
  'sql-process': 'main/store/sql/process.ts',
  'engine-process': 'engine/process/index.ts',
  'sandbox-process': 'engine/sandbox/process/index.ts',
  'watchdog-worker': 'engine/watchdog/worker.ts',
};

/** Modules that the sandbox process reads besides its bundle. */
const modules = {
  'quickjs.wasm': '@jitl/quickjs-ng-wasmfile-release-sync/dist/emscripten-module.wasm',
  'sqlite.wasm': 'sql.js/dist/sql-wasm.wasm',
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  sourcemap: 'linked',
  logLevel: 'warning',
  legalComments: 'none',
  // a quarter of the size; functions keep their names, so that the stack of an error can be read
  minify: true,
  keepNames: true,
} satisfies BuildOptions;

/**
 * In the packaged app these files are in app.asar, but entry points of threads and processes, and native
 * modules, are unpacked next to it. So a bundle's own address is the unpacked one; packed files are found
 * through Electron's `app.getAppPath()`.
 */
const unpackedAddress = `
import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);
const __here = import.meta.url.replace('/app.asar/', '/app.asar.unpacked/');`;

/**
 * Bundles main, the store's thread, the engine's and the sandbox's process into dist/main as ES modules; only
 * native modules stay outside.
 */
export async function buildMain(): Promise<void> {
  rmSync(join(root, 'dist/main'), { recursive: true, force: true });
  await bundle({
    ...common,
    entryPoints: mainEntries,
    outdir: 'dist/main',
    format: 'esm',
    external: ['electron', 'onnxruntime-node', 'better-sqlite3', '*/checkout/build.ts'],
    // sql.js asks for its folder, but receives its module without reading there
    banner: { js: unpackedAddress.trim() },
    define: { 'import.meta.url': '__here', __dirname: '"."' },
  });
  for (const [name, from] of Object.entries(modules))
    copyFileSync(join(root, 'node_modules', from), join(root, 'dist/main', name));
}

/** A sandboxed preload must be one CommonJS file. */
export const buildPreload = async (): Promise<void> =>
  void (await bundle({
    ...common,
    entryPoints: ['preload/index.ts'],
    outfile: 'dist/preload/index.cjs',
    format: 'cjs',
    external: ['electron'],
  }));

/**
 * Builds the page with vite.config.ts, in a folder of its own, and puts it in place once it is whole: services that
 * run meanwhile serve the earlier one.
 */
export async function buildRenderer(): Promise<void> {
  const place = join(root, 'dist/renderer');
  const [made, earlier] = [`${place}-${process.pid}`, `${place}-${process.pid}-earlier`];
  try {
    await buildPage({
      root: join(root, 'renderer'),
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: made },
    });
    if (existsSync(place)) renameSync(place, earlier);
    renameSync(made, place);
  } finally {
    for (const folder of [made, earlier]) rmSync(folder, { recursive: true, force: true });
  }
}

/** The parts of dist, and how to build each. */
const parts = [
  {
    output: 'dist/renderer/index.html',
    from: ['renderer', 'preload', 'engine/common', 'engine/schema'],
    make: buildRenderer,
  },
  { output: 'dist/preload/index.cjs', from: ['preload'], make: buildPreload },
  { output: 'dist/main/app.js', from: ['main', 'engine', 'preload'], make: buildMain },
];

type Part = 'renderer' | 'preload' | 'main';

/**
 * Builds the parts whose sources, packages or build rules are newer than their output; `what` limits it to
 * some of them.
 */
export async function buildStale(
  what: readonly Part[] = ['renderer', 'preload', 'main'],
  log: (text: string) => void = () => undefined,
): Promise<void> {
  const rules = Math.max(
    ...['main/checkout/build.ts', 'vite.config.ts', 'package-lock.json'].map(
      (path) => statSync(join(root, path)).mtimeMs,
    ),
  );
  for (const { output, from, make } of parts.filter((part) =>
    what.some((name) => part.output.startsWith(`dist/${name}/`)),
  )) {
    const path = join(root, output);
    const newest = Math.max(rules, ...from.map((folder) => newestIn(join(root, folder))));
    if (existsSync(path) && statSync(path).mtimeMs >= newest) continue;
    log(`Building ${dirname(output)} …`);
    await make();
  }
}

/** Time of the last change below a folder, in epoch milliseconds; a folder's own time shows deletions. */
function newestIn(folder: string): number {
  const inside = readdirSync(folder, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? newestIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).mtimeMs,
  );
  return Math.max(statSync(folder).mtimeMs, ...inside);
}

if (import.meta.main) {
  for (const { output, make } of parts) {
    const start = performance.now();
    await make();
    console.log(`${output.padEnd(28)}${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}
