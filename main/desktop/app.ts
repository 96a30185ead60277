import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { app, BrowserWindow, dialog, nativeTheme } from 'electron';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { chooser } from './dialogs.ts';
import { utilityEngine } from './engine.ts';
import { openPipe } from './pipe.ts';
import { registerPageScheme, servePage } from './protocol.ts';
import { handlersOf } from '../ipc/index.ts';
import { setMenu } from './menu.ts';
import { utilitySql } from './sql.ts';
import { Services } from '../services/services.ts';
import { ShippedSamples } from '../services/shipped-samples.ts';
import { confine, denyPermissions, openWindow, showPage } from './windows.ts';

/**
 * The desktop app. Boot order: one instance → security → services → page → window. Shutdown: windows → feeds
 * → services (which interrupt a run so that it can be resumed, and close the store) → exit. This file is the
 * entry of the bundle dist/main/app.js.
 */
const root = app.getAppPath();
const [engineEntry, sandboxEntry, sqlEntry] = [
  './engine-process.js',
  './sandbox-process.js',
  './sql-process.js',
].map((name) => fileURLToPath(new URL(name, import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** The workspace on the command line: `whetstone --workspace DIR`. Chromium's own arguments are ignored. */
const workspaceIn = (argv: readonly string[]): string | undefined => {
  const { workspace } = parseArgs({
    args: [...argv],
    options: { workspace: { type: 'string' } },
    strict: false,
  }).values;
  return typeof workspace === 'string' ? workspace : undefined;
};

async function boot(): Promise<void> {
  app.enableSandbox();
  registerPageScheme();
  app.on('web-contents-created', (_event, page) => confine(page));
  nativeTheme.themeSource = 'system';
  await app.whenReady();
  denyPermissions();
  servePage(join(root, 'dist/renderer'));
  setMenu({ development: !app.isPackaged });
  app.setAboutPanelOptions({
    applicationName: 'Whetstone',
    applicationVersion: version,
    copyright: 'Apache-2.0',
  });

  const services = new Services({
    spawnEngine: utilityEngine(engineEntry, sandboxEntry),
    spawnSql: utilitySql(sqlEntry),
    desktop: { transport: 'ipc', version, electron: process.versions.electron, choosePath: chooser },
    samples: new ShippedSamples(
      app.isPackaged ? join(process.resourcesPath, 'samples') : join(root, 'dist/samples'),
    ),
  });
  const pipe = openPipe(handlersOf(services));
  closeBeforeQuit(async () => {
    pipe.close();
    await services.close();
  });
  const workspace = workspaceIn(process.argv.slice(1));
  if (workspace !== undefined) await services.openOrCreateWorkspace(workspace);

  const show = async (): Promise<void> => {
    const window = openWindow({
      preload: join(root, 'dist/preload/index.cjs'),
      state: join(app.getPath('userData'), 'window.json'),
      icon: join(root, 'assets/icon.png'),
    });
    pipe.join(window.webContents);
    await showPage(window);
  };
  app.on('second-instance', () => bringToFront());
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) show().catch(giveUp);
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  await show();
}

function bringToFront(): void {
  const [window] = BrowserWindow.getAllWindows();
  if (window?.isMinimized()) window.restore();
  window?.focus();
}

/** Delays the end of the app until `close` is done; a second request to quit does not start it again. */
function closeBeforeQuit(close: () => Promise<void>): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('will-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    close().then(() => {
      state = 'closed';
      app.quit();
    }, giveUp);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit());
}

/** Shows the error and quits: without services and a page there is nothing to show. */
function giveUp(error: unknown): void {
  const { message, where, hint } = WhetstoneError.from(error);
  console.error(error);
  dialog.showErrorBox('Whetstone cannot go on', [message, where, hint].filter(Boolean).join('\n\n'));
  app.exit(1);
}

if (app.requestSingleInstanceLock()) boot().catch(giveUp);
else app.quit();
