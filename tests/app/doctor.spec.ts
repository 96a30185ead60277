import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { planted, plantedFile, plantedRecords } from '../support/planted-rows.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(async () => {
  const path = join(workbench.folder, 'planted.jsonl');
  writeFileSync(path, plantedFile);
  await workbench.command('import', path);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Opens the dataset by keyboard. */
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  const link = page
    .getByRole('list', { name: 'Datasets' })
    .getByRole('link', { name: /planted/ })
    .first();
  await link.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: /Rows/ })).toBeVisible();
}

/** Focuses a control and presses Enter. */
async function press(page: Page, role: 'button' | 'link' | 'tab', name: string | RegExp): Promise<void> {
  await page.getByRole(role, { name }).first().focus();
  await page.keyboard.press('Enter');
}

const counted = (page: Page, rows: number) =>
  expect(
    page
      .getByRole('status')
      .filter({ hasText: `${rows} row` })
      .first(),
  ).toBeVisible();

test('the doctor finds planted rows, opens them, and repairs them into a version, by keyboard alone', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await page.getByRole('tab', { name: /Rows/ }).focus();
  await page.keyboard.press('ArrowRight');
  await press(page, 'button', 'Examine');
  await expect(page.getByRole('link', { name: 'Leaked rows: 1 row' })).toBeVisible();
  await expect(page.getByText(`${plantedRecords.length} rows examined`)).toBeVisible();
  await look(page, 'doctor');

  await press(page, 'link', `Near duplicates: ${planted['near-duplicates'].length} rows`);
  await expect(page.getByLabel('Search rows')).toHaveValue('finding:near-duplicates');
  await counted(page, 2);
  await page.goBack();
  await press(page, 'button', 'Repair: Near duplicates');
  await expect(page.getByLabel('Repair', { exact: true })).toBeFocused();
  await look(page, 'doctor-repair');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('and save as version')).toHaveValue('without near duplicates');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Excluded 1 row. Saved as version “without near duplicates”.')).toBeVisible();
  await expect(page.getByText('Rows were excluded or restored since')).toBeVisible();

  await page.keyboard.press('Control+z');
  await expect(page.getByText('Rows were excluded or restored since')).toBeHidden();
  expect(complaints).toEqual([]);
});

test('a column is previewed, computed, sorted by and taken back, by keyboard alone', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await press(page, 'button', 'Add column…');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('size');
  await press(page, 'button', 'Preview');
  await expect(page.getByRole('region', { name: 'Preview' }).getByRole('row')).toHaveCount(11);
  await look(page, 'add-column');
  await press(page, 'button', `Compute for ${plantedRecords.length} rows`);
  await expect(page.getByText(`“size” has ${plantedRecords.length} values.`)).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search rows').focus();
  await page.keyboard.type('size<45');
  const short = plantedRecords.filter(({ completion }) => completion.length < 45).length;
  await counted(page, short);
  await page.getByRole('tab', { name: /Rows/ }).focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByText("There is no column 'size'.")).toBeVisible();
  expect(complaints).toEqual([]);
});
