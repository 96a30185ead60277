import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
/** 120 answers, three to a prompt, of four levels. */
const sums = Array.from({ length: 120 }, (_none, at) => ({
  prompt: `Question ${Math.floor(at / 3)}: how many bolts are in box ${Math.floor(at / 3)}?`,
  answer: `There are ${at}.`,
  correct: at % 3 === 0,
  level: at % 4,
}));
const stories = Array.from({ length: 8 }, (_none, at) => ({
  prompt: `Tell story ${at}.`,
  answer: `Story ${at}`,
}));

test.beforeAll(async () => {
  for (const [name, rows] of Object.entries({ sums, stories })) {
    const path = join(workbench.folder, `${name}.jsonl`);
    writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    await workbench.command('import', path);
  }
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const dataset = (page: Page, name: string | RegExp) =>
  page.getByRole('list', { name: 'Datasets' }).getByRole('link', { name }).first();

/** Opens the dataset of sums by keyboard. */
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await dataset(page, /^sums/).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Dataset name')).toHaveValue('sums');
  await expect(page.getByText(/^Made from sums\.jsonl/)).toBeVisible();
}

test('a dataset is made of the rows of a query by keyboard, and shows what it was made from', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await page.keyboard.press('/');
  await page.keyboard.type('right level<2');
  await page.keyboard.press('Enter');
  await page.getByLabel('Search rows').blur();
  await page.keyboard.press('n');
  const form = page.getByRole('form', { name: 'New dataset' });
  await expect(form.getByLabel('Take')).toBeFocused();
  await expect(form.getByRole('textbox', { name: 'Query' })).toHaveValue('right level<2');
  await expect(form.getByText('20 rows.')).toBeVisible();
  await look(page, 'derive-query');
  await page.keyboard.press('Tab');
  await page.keyboard.type('easy ones');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Dataset name')).toHaveValue('easy ones');
  await expect(page.getByText('Made from sums', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Lineage' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('dataset; without changes; rows of “right level<2”')).toBeVisible();
  await page.getByRole('button', { name: 'Rebuild and compare' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('rebuilt, same hash')).toBeVisible();
  await look(page, 'derive-lineage');
  expect(complaints).toEqual([]);
});

test('rows are split into parts, which are queried, trained on, undone and looked through for leaks', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await page.keyboard.press('s');
  const form = page.getByRole('form', { name: 'New split' });
  await expect(form.getByLabel('Split', { exact: true })).toBeFocused();
  await form.getByLabel('Parts and weights').fill('train=.5, test');
  await expect(page.getByText(/^Write parts such as/)).toBeVisible();
  await form.getByLabel('Parts and weights').fill('train=.5, test=.5');
  await page.keyboard.press('Enter');
  const splits = page.getByRole('region', { name: 'Splits' });
  const train = splits.getByRole('button', { name: /^train \d+$/ });
  await expect(train).toBeVisible();
  const count = Number(/\d+/.exec((await train.textContent()) ?? '')?.[0]);
  await splits.getByRole('button', { name: 'Look for leaks' }).click();
  await expect(splits.getByText(/^0 keys, 0 groups of equal prompts/)).toBeVisible();
  await look(page, 'derive-split');
  await train.click();
  await expect(page.getByLabel('Search rows')).toHaveValue('split:train');
  await expect(
    page
      .getByRole('status')
      .filter({ hasText: `${count} rows` })
      .first(),
  ).toBeVisible();
  await splits.getByRole('link', { name: 'Train on its parts' }).click();
  await expect(page.getByText('Train part').first()).toBeAttached();
  await page.goBack();
  await expect(page.getByLabel('Search rows')).toHaveValue('split:train');
  await page.keyboard.press('s');
  await expect(train).toBeVisible();
  await page.getByRole('button', { name: 'Undo the last step' }).click();
  await expect(train).toHaveCount(0);
  await expect(page.getByText('No matching row.')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a mixture says how often rows are drawn before it is made', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await page.keyboard.press('n');
  const form = page.getByRole('form', { name: 'New dataset' });
  await form.getByLabel('Take').selectOption('mixture');
  await form.getByRole('button', { name: 'Add a dataset' }).click();
  await form
    .getByRole('group', { name: 'Source 2' })
    .getByLabel('Dataset')
    .selectOption({ label: 'stories (8 rows)' });
  await form.getByLabel('Rows', { exact: true }).fill('40');
  await form.getByLabel('Name').first().fill('mixed');
  await expect(form.getByText('stories has 8 rows, 20 asked: 8 are taken.')).toBeVisible();
  await form.getByLabel('Repeat rows of small ones').check();
  await expect(form.getByText('stories has 8 rows, 20 asked: drawn 2.5 times.')).toBeVisible();
  await look(page, 'derive-mixture');
  await form.getByRole('button', { name: 'Make a dataset of 40 rows' }).click();
  await expect(page.getByLabel('Dataset name')).toHaveValue('mixed');
  await expect(page.getByText('Made from sums, stories')).toBeVisible();
  expect(complaints).toEqual([]);
});
