import { execFileSync } from 'node:child_process';
import { root } from '../run/check.ts';
import { chromium } from '../run/chromium.ts';

/** Builds the page, so that the tests run against the current sources. */
export default function buildPage(): void {
  if (chromium())
    execFileSync(
      process.execPath,
      [
        'main/launch.mjs',
        'node_modules/vite/bin/vite.js',
        'build',
        '-c',
        'vite.config.ts',
        '--logLevel',
        'warn',
      ],
      { cwd: root, stdio: 'inherit' },
    );
}
