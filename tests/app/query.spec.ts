import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const topics = ['sums', 'stories', 'geometry'];
/** 300 answers of three sources to 100 prompts, with two columns of their own. */
const rows = Array.from({ length: 300 }, (_none, at) => ({
  prompt: `Question ${Math.floor(at / 3)}: a robe takes ${Math.floor(at / 3)} bolts of blue fiber. How many in total?`,
  answer: `${'It takes some more. '.repeat(at % 7)}The answer is ${at}.`,
  correct: at % 3 === 0,
  source: ['base-6b', 'tuned-6b', 'tuned-70b'][at % 3],
  topic: topics[at % topics.length],
  difficulty: (at % 10) / 10,
}));

test.beforeAll(async () => {
  const path = join(workbench.folder, 'robes.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await workbench.command('import', path);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('list', { name: 'Datasets' }).getByRole('link', { name: /robes/ }).first().click();
  await expect(page.getByRole('tab', { name: /Rows/ })).toBeVisible();
}

test('rows are queried, filtered by facets, sorted and opened by keyboard; the address shows them again', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await expect(page.getByRole('status').filter({ hasText: '300 rows' })).toBeVisible();
  const facets = page.getByRole('group', { name: 'Facets' });
  await expect(facets.getByRole('button', { name: /^right/ })).toBeVisible();
  await look(page, 'query-all');

  await page.keyboard.press('/');
  await expect(page.getByLabel('Search rows')).toBeFocused();
  await page.keyboard.type('wrong source:6b length>60 "blue fiber"');
  const expected = rows.filter(
    (row) => row.source === 'tuned-6b' && !row.correct && row.answer.length > 60,
  ).length;
  await expect(page.getByText(`${expected} rows`, { exact: true })).toBeVisible();
  await expect(page.getByRole('option').first().locator('mark').first()).toHaveText('blue fiber');
  await facets.getByRole('button', { name: /^stories/ }).click();
  await expect(page.getByLabel('Search rows')).toHaveValue(/topic="stories"$/);
  await expect(facets.getByRole('button', { name: /^stories/ })).toHaveAttribute('aria-pressed', 'true');

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'difficulty' }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Sort by difficulty/ }).click();
  await page.getByRole('button', { name: 'Sort by difficulty, now ascending' }).click();
  await page.getByLabel('Search rows').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('complementary', { name: 'Row' })).toContainText('Other columns');
  await look(page, 'query-filtered');
  const first = await page.getByRole('option').first().innerText();

  const address = page.url();
  await page.waitForTimeout(600);
  await page.goto('about:blank');
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Sort by difficulty, now descending' })).toBeVisible();
  await expect(page.getByRole('option').first()).toHaveText(first, { useInnerText: true });

  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await expect(page.getByText('300 rows', { exact: true })).toBeVisible();
  await page.getByLabel('Search rows').fill('colour:red');
  await expect(page.getByRole('alert')).toContainText('There is no column');
  await page.setViewportSize({ width: 1000, height: 700 });
  await look(page, 'query-fault');
  await page.getByLabel('Search rows').fill('nowhere');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByText('300 rows', { exact: true })).toBeVisible();
  await look(page, 'query-narrow');
  expect(complaints).toEqual([]);
});

test('rows are tagged, excluded, edited and added; every step is undone and redone, and in the history', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  const search = page.getByLabel('Search rows');
  const counted = (text: string) => expect(page.locator('main').getByRole('status').first()).toHaveText(text);
  await search.fill('wrong');
  await counted('200 rows');
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('Value').fill('dup');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Tagged “dup”: 200 rows.')).toBeVisible();
  await search.fill('-tag:dup');
  await counted('100 rows');

  await page.getByRole('listbox', { name: 'Rows' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  await expect(page.getByText('2 selected')).toBeVisible();
  await look(page, 'curate-selected');
  await page.getByRole('button', { name: 'Exclude', exact: true }).first().click();
  await counted('98 rows');
  await search.fill('is:excluded');
  await counted('2 rows');
  await page.getByRole('button', { name: 'Clear selection' }).click();

  await search.fill('-tag:dup');
  await counted('98 rows');
  await page.getByRole('listbox', { name: 'Rows' }).focus();
  await page.keyboard.press('ArrowDown');
  const row = page.getByRole('complementary', { name: 'Row' });
  await row.getByRole('button', { name: 'Edit texts' }).click();
  await row.getByLabel('Answer').fill('A corrected answer');
  await row.getByLabel('Reference').focus();
  await expect(page.getByText('Edited answer of 1 row', { exact: false }).first()).toBeVisible();
  await row.getByText(/^History of this row/).click();
  await expect(row.locator('del')).toContainText('The answer is');
  await look(page, 'curate-row');

  await page.getByRole('button', { name: 'New row…' }).click();
  await page.getByLabel('Prompt of the new row').fill('What is by hand?');
  await page.getByRole('button', { name: 'Add the row' }).click();
  await search.fill('is:added');
  await counted('1 row');

  await search.fill('');
  await counted('299 rows');
  for (const count of ['298 rows', '298 rows', '300 rows', '300 rows']) {
    await page.getByRole('button', { name: 'Undo the last step' }).click();
    await counted(count);
  }
  await expect(page.getByRole('button', { name: 'Undo the last step' })).toBeDisabled();
  await page.keyboard.press('Control+Shift+z');
  await expect(page.getByText('Repeated a step of 200 rows.')).toBeVisible();
  await search.fill('tag:dup');
  await counted('200 rows');
  await page.getByRole('tab', { name: /History/ }).click();
  await expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem')).toHaveCount(9);
  await page.getByLabel('Name of the version').fill('tagged');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('row', { name: /^tagged 300 1/ })).toBeVisible();
  await page.getByRole('button', { name: 'Rebuild' }).click();
  await expect(page.getByText('rebuilt, same hash')).toBeVisible();
  await page.getByRole('tab', { name: /History/ }).focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('list', { name: 'Steps' }).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'Compare with now' }).click();
  await expect(page.getByText(/0 added, 0 removed, 200\s+changed/)).toBeVisible();
  await look(page, 'curate-history');
  expect(complaints).toEqual([]);
});
