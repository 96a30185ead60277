import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import type { Loop } from '../support/lineage.ts';
import { look, runLink, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let loop: Loop;

test.beforeAll(async () => {
  const workspace = join(workbench.folder, 'first');
  loop = await workbench.planted<Loop>('tests/support/lineage-child.ts');
  await workbench.command('note', loop.policyRun, '--question', 'Does the judge help the policy?');
  await workbench.start('--workspace', workspace);
});
test.afterAll(() => workbench.remove());

const opened = (page: Page, address: string) => workbench.open(page, address);

test('a run with a question asks for its conclusion, which is found and shown', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await opened(page, `#/runs/${loop.policyRun}`);
  await expect(page.getByText('It has no conclusion yet.')).toBeVisible();
  await look(page, 'notes-asked');
  await page.getByRole('button', { name: 'Write it' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Write the conclusion')).toBeFocused();
  await page.keyboard.type('It helps by a tenth.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('It has no conclusion yet.')).toHaveCount(0);
  await expect(page.getByLabel('Conclusion', { exact: true })).toHaveValue('It helps by a tenth.');
  await page.getByLabel('Filter runs').fill('tenth');
  await expect(runLink(page, 'policy')).toBeVisible();
  await expect(runLink(page, 'judge')).toHaveCount(0);
  await page.getByLabel('Filter runs').fill('');
  await page.getByLabel('Question', { exact: true }).fill('');
  await page.getByLabel('Question', { exact: true }).blur();
  await expect(page.getByText('Question:')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('the launch form takes a question', async ({ page }) => {
  await opened(page, '#/runs/new');
  await page.getByLabel('Question').fill('Is the seed enough?');
  await expect(page.getByLabel('Question')).toHaveValue('Is the seed enough?');
});

test('the log of a run is filtered by kind and text, and saved', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1000, height: 700 });
  await opened(page, `#/runs/${loop.policyRun}/log`);
  const log = page.getByRole('region', { name: 'Log' });
  await expect(log.getByText('created and queued')).toBeVisible();
  await expect(log.getByText(/^final checkpoint saved/)).toBeVisible();
  await look(page, 'run-log');
  await page.getByLabel('Kind of entry').selectOption('evaluation');
  await expect(page).toHaveURL(/kind=evaluation/);
  await expect(log.getByText('created and queued')).toHaveCount(0);
  await expect(page.getByText('16 entries')).toBeVisible();
  await page.getByLabel('Kind of entry').selectOption('everything');
  await page.getByLabel('Find in the log').fill('attempt started');
  await expect(page.getByText('1 entry')).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as text' }).click();
  expect(await readFile(await (await saved).path(), 'utf8')).toMatch(
    /^\S+Z {2}attempt {5}attempt 1 started\n$/,
  );
  await page.getByLabel('Find in the log').fill('no such text');
  await expect(page.getByText('No entry matches.')).toBeVisible();
  expect(complaints).toEqual([]);
});
