import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, runLink, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const logs = fileURLToPath(new URL('../support/oracles/logs/', import.meta.url));
const workbench = new Workbench();
const folder = join(workbench.folder, 'logs');
test.beforeAll(async () => {
  cpSync(logs, folder, { recursive: true });
  await workbench.command('import-logs', join(folder, 'verl.log'), '--name', 'known');
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const path = (page: Page) => page.getByLabel('File or folder');
const boxes = (page: Page) => page.getByRole('region', { name: 'Runs found' }).getByRole('checkbox');

/** Opens the import of logs from the list of runs, by keyboard. */
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByRole('link', { name: 'Import logs…' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(path(page)).toBeFocused();
}

test('logs of a folder are listed, chosen and imported by keyboard, and become runs with curves', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await look(page, 'logs-import');
  await page.keyboard.type(folder);
  await page.keyboard.press('Enter');
  await expect(page.getByText('10 runs found, 10 chosen.')).toBeVisible();
  await look(page, 'logs-found');
  // not the second file of the same training
  await boxes(page).last().focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('10 runs found, 9 chosen.')).toBeVisible();
  await page.getByRole('button', { name: 'Import 9 runs' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Imported \d runs\.$/)).toBeVisible();
  await look(page, 'logs-imported');

  await page.getByRole('link', { name: 'dpo, seed 1' }).click();
  await expect(page.getByRole('figure', { name: /^loss/ })).toBeVisible();
  await expect(page.getByText('Weights & Biases, 123 points')).toBeVisible();
  for (const name of ['Resume', 'Copy', 'Label its answers', 'Stop'])
    await expect(
      page.getByRole('button', { name, exact: true }).or(page.getByRole('link', { name, exact: true })),
    ).toHaveCount(0);
  await expect(page.getByRole('tab')).toHaveText(['Curves', 'Log', 'Configuration']);
  await look(page, 'logs-run');
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await expect(page.getByText('"beta": 0.1')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a log that the workspace has is refused, and a path without logs says what is read', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await path(page).fill(join(folder, 'verl.log'));
  await path(page).press('Enter');
  await page.getByRole('button', { name: 'Import 1 run' }).click();
  await expect(page.getByText("This log was imported already, as 'known'.")).toBeVisible();
  const empty = join(workbench.folder, 'empty');
  mkdirSync(empty);
  await path(page).fill(empty);
  await path(page).press('Enter');
  await expect(page.getByText('No log of a training run was found here.')).toBeVisible();
  await look(page, 'logs-refused');
  expect(complaints).toEqual([]);
});

test('a file that is still written becomes a run that says where it ends', async ({ page }) => {
  const complaints = await watch(page);
  const live = join(workbench.folder, 'run-live.wandb');
  writeFileSync(live, readFileSync(join(logs, 'run-fixed.wandb')).subarray(0, 9000));
  await opened(page);
  await path(page).fill(live);
  await path(page).press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('live');
  await page.getByRole('button', { name: 'Import 1 run' }).click();
  await expect(page.getByText(/byte \d+: the last record is incomplete/)).toBeVisible();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await expect(page.getByText(/byte \d+: the last record is incomplete/)).toBeVisible();
  await expect(runLink(page, 'live')).toBeVisible();
  // an address that another tab opens shows the same
  await page.goto(`${page.url().split('#')[0]}#/runs/import?path=${encodeURIComponent(live)}`);
  await expect(page.getByText('1 run found, 1 chosen.')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the curves of compared runs are exported, and a folder in the way is refused', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await runLink(page, 'known').click();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export curves…' }).click();
  await page.getByLabel('Format').selectOption('TensorBoard event files');
  const target = join(workbench.folder, 'for-tensorboard');
  await page.getByLabel('Into the new folder').fill(target);
  await look(page, 'logs-export');
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByText(/^Wrote 15 points to/)).toBeVisible();
  expect(existsSync(join(target, 'known'))).toBe(true);
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByText('There is something at this path already.')).toBeVisible();
  await look(page, 'logs-exported');
  expect(complaints).toEqual([]);
});
