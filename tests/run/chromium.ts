import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const noChromium =
  'Skipped: no Chromium on this machine. On Debian: apt-get install chromium; elsewhere set CHROMIUM to ' +
  'the path of a Chromium or Chrome.';

/**
 * Path of the browser for the browser tests: the variable CHROMIUM, else the first on PATH; undefined if
 * there is none.
 */
export function chromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...elsewhere].find(
    (path) => existsSync(path),
  );
}
