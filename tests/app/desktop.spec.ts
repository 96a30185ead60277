import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, expect, test } from '@playwright/test';
import { buildStale } from '../../main/checkout/build.ts';
import { electronBinary, whyNoWindow } from '../../main/desktop/launcher.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const binary = electronBinary();
const reason =
  binary === null
    ? "Electron's binary is not on this machine (npx install-electron fetches it)."
    : whyNoWindow();
if (reason !== null) console.warn(`The desktop window is not tested: ${reason}`);

test('the desktop app opens one sandboxed window with its own services, and closes', async () => {
  test.skip(reason !== null, reason ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-desktop-'));
  await buildStale();
  const app = await _electron.launch({
    executablePath: binary!,
    args: [root, `--user-data-dir=${join(folder, 'user')}`, '--workspace', join(folder, 'workspace')],
    env: { ...(process.env as Record<string, string>), WHETSTONE_CONFIG_DIR: join(folder, 'config') },
  });
  try {
    const page = await app.firstWindow();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await expect(page).toHaveURL(/^app:\/\/whetstone\//);
    await expect(page.getByRole('link', { name: 'Datasets' }).first()).toBeVisible();
    expect(await page.evaluate(() => [typeof window.require, typeof window.process])).toEqual([
      'undefined',
      'undefined',
    ]);
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    await page.evaluate(() => {
      window.open('https://example.org');
    });
    expect(app.windows()).toHaveLength(1);
    expect(problems).toEqual([]);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

declare global {
  interface Window {
    require?: unknown;
    process?: unknown;
  }
}
