import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** Time limit of the Electron download, in milliseconds. */
const longestFetchMs = 10 * 60_000;

const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve('electron/package.json'));

/**
 * Path of Electron's binary, if installed; `ELECTRON_OVERRIDE_DIST_PATH` names another folder, as for
 * Electron's own launcher.
 */
export function electronBinary(
  folder = packageFolder(),
  override = process.env.ELECTRON_OVERRIDE_DIST_PATH,
): string | null {
  const named = join(folder, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8').trim() : 'electron';
  const path = join(override ?? join(folder, 'dist'), name);
  return existsSync(path) ? path : null;
}

/**
 * Downloads the binary with Electron's own installer (about 110 MB, checked by hash). Null on failure; the
 * installer's output is not shown.
 */
export function fetchElectron(): string | null {
  const { status } = spawnSync(process.execPath, [join(packageFolder(), 'install.js')], {
    stdio: 'ignore',
    timeout: longestFetchMs,
  });
  return status === 0 ? electronBinary() : null;
}

interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}
const here = (): Surroundings => ({
  platform: process.platform,
  env: process.env,
  isRoot: process.getuid?.() === 0,
});

const hasScreen = ({ platform, env }: Surroundings): boolean =>
  platform === 'win32' || platform === 'darwin' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

/** The reason why no desktop window can open here, or null. */
export function whyNoWindow(around = here()): string | null {
  if (!hasScreen(around))
    return (
      'There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set), so the workbench is served ' +
      'to a browser.'
    );
  if (around.platform === 'linux' && around.isRoot)
    return 'Electron keeps its sandbox and so does not run as root; the workbench opens in a browser.';
  return null;
}

/** The command that opens an address in the system's browser, or null without a screen or such a program. */
export function opener(
  around = here(),
): { readonly command: string; readonly args: readonly string[] } | null {
  if (!hasScreen(around)) return null;
  if (around.platform === 'darwin') return { command: 'open', args: [] };
  // `start` is a built-in of cmd, which would interpret the & of an address; rundll32 does not
  if (around.platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler'] };
  const found = (around.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'xdg-open')));
  return found ? { command: 'xdg-open', args: [] } : null;
}
