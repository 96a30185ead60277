import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readNumber } from '../../engine/common/number-text.ts';
import { buildStale } from './build.ts';
import { electronBinary, fetchElectron, opener, whyNoWindow } from '../desktop/launcher.ts';
import { serveLoopback } from '../headless/server.ts';
import { handlersOf } from '../ipc/index.ts';
import { pageFolder, plainServices } from '../headless/open.ts';

/**
 * `npm start [-- --workspace DIR] [--browser] [--no-open] [--port N]`: opens the desktop window if Electron
 * can run; else prints the reason and serves the same workbench to the system's browser, or at the printed
 * address.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    workspace: { type: 'string' },
    browser: { type: 'boolean', default: false },
    'no-open': { type: 'boolean', default: false },
    port: { type: 'string' },
  },
});
const port = portOf(values.port);
const workspace = values.workspace === undefined ? [] : ['--workspace', values.workspace];

/** The requested port; 0 picks any. Ends the process for an invalid one. */
function portOf(given: string | undefined): number {
  const read = readNumber(given ?? '0', { integer: true, low: 0, high: 65_535 });
  if (read.ok) return read.value;
  console.error(`--port must be a whole number from 0 to 65535: ${read.message}.`);
  process.exit(1);
}

async function start(): Promise<number> {
  const reason = values.browser ? 'As you asked, the workbench opens in a browser.' : whyNoWindow();
  if (reason !== null) return await inBrowser(reason);
  let electron = electronBinary();
  if (electron === null) {
    console.log('Fetching Electron, once (about 110 MB) …');
    electron = fetchElectron();
  }
  if (electron === null)
    return await inBrowser('Electron could not be fetched, so the workbench opens in a browser.');
  await buildStale();
  const started = performance.now();
  const code = await ended(electron, [root, ...workspace]);
  // A window in use lives longer; one that ends at once with an error could not open (a missing library, no
  // sandbox).
  if (code !== 0 && performance.now() - started < 5_000)
    return await inBrowser(
      `Electron could not open a window (it ended with ${code}), so the workbench opens in a browser.`,
    );
  return code;
}

const ended = (command: string, args: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, ELECTRON_RUN_AS_NODE: undefined },
    });
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });

/** Serves the page on loopback until Ctrl+C. The address contains the key, so it is only printed here. */
async function inBrowser(reason: string): Promise<number> {
  console.log(reason);
  await buildStale(['renderer']);
  const services = plainServices();
  try {
    if (values.workspace !== undefined) await services.openOrCreateWorkspace(values.workspace);
    const loopback = await serveLoopback({ handlers: handlersOf(services), pageFolder: pageFolder(), port });
    const open = values['no-open'] ? null : opener();
    const isOpen =
      open !== null &&
      spawnSync(open.command, [...open.args, loopback.url], { stdio: 'ignore', timeout: 15_000 }).status ===
        0;
    console.log(
      `${isOpen ? 'Opened' : 'Open this address in a browser on this machine (over SSH, forward the port)'}: ` +
        `${loopback.url}\nCtrl+C closes the workbench.`,
    );
    // Ctrl+C reaches this process twice, from the terminal and through the launcher: the second must not
    // interrupt the shutdown
    await new Promise<void>((resolve) =>
      (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).forEach((signal) => process.on(signal, () => resolve())),
    );
    await loopback.close();
    return 0;
  } finally {
    await services.close();
  }
}

process.exitCode = await start();
