import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, decide, importPath, look, previewPath, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

test.describe('failures', () => {
  const workbench = new Workbench();
  test.beforeEach(() => workbench.start('--workspace', join(workbench.folder, 'first')));
  test.afterEach(() => workbench.stop());
  test.afterAll(() => workbench.remove());

  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => [
      { prompt: `question ${i}`, answer: `yes ${i}`, correct: true },
      { prompt: `question ${i}`, answer: `no ${i}`, correct: false },
    ])
      .flat()
      .map((row) => JSON.stringify(row));

  test('reports the line of an invalid file and imports nothing; can then import it without that line', async ({
    page,
  }) => {
    const complaints = await watch(page);
    const path = join(workbench.folder, 'broken.jsonl');
    writeFileSync(path, [...rows(2), '{ "prompt": "cut', ...rows(1)].join('\n'));
    await page.goto(workbench.url);
    await previewPath(page, path);
    await expect(page.getByRole('heading', { name: '1 of 7 lines cannot be read' })).toBeVisible();
    await expect(page.getByRole('row', { name: /^5 is not valid JSON/ })).toBeVisible();
    await expect(page.getByText('Nothing is stored yet.')).toBeVisible();
    await look(page, 'import-broken-line');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('No data yet')).toBeVisible();
    await importPath(page, path);
    await expect(page.getByRole('tab', { name: 'Doctor' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('cell', { name: '{ "prompt": "cut' })).toBeVisible();
    expect(complaints).toEqual([]);
  });

  test('keeps accepted labels when the services are killed', async ({ page }) => {
    const path = join(workbench.folder, 'pairs.jsonl');
    writeFileSync(path, rows(8).join('\n'));
    await page.goto(workbench.url);
    await importPath(page, path);
    await page.getByRole('link', { name: 'Label pairs' }).click();
    await page.getByRole('button', { name: 'Create pairs' }).click();
    for (const [count, key] of ['1', '2', 't', 's'].entries()) {
      await decide(page, key);
      await expect(page.getByText(`${count + 1} / 8`)).toBeVisible();
    }
    const address = new URL(page.url()).hash;
    await workbench.stop('SIGKILL');
    await expect(page.getByText('Connection lost; reconnecting…')).toBeVisible();
    await workbench.start('--workspace', join(workbench.folder, 'first'));
    await page.goto(workbench.url);
    await atHome(page);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, address);
    await expect(page.getByText('4 / 8')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Reopen/ })).toHaveCount(4);
  });

  test('an address without the token opens no page, and shows the reason', async ({ page }) => {
    await page.goto(new URL(workbench.url).origin);
    await expect(page.getByText('This tab is not signed in')).toBeVisible();
  });
});
