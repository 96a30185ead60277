import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const topics = [
  'river boat water fish bank current net',
  'matrix vector proof lemma sum field ring',
  'bread flour oven salt yeast dough crust',
];
/** Texts of three topics, of which words follow each other in a fixed order. */
const rows = Array.from({ length: 600 }, (_none, row) => {
  const words = topics[row % 3].split(' ');
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_each, at) => words[(from * (at + 3) + row + at * at) % words.length]);
  const prompt = `${some(row, 6).join(' ')} ${row >> 1}`;
  return { prompt, answer: some(row + 5, 12 + (row % 17)).join(' '), correct: row % 4 !== 0 };
});

const workbench = new Workbench();
test.beforeAll(async () => {
  const path = join(workbench.folder, 'topics.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await workbench.command('import', path);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Opens the dataset's map by keyboard. */
async function openMap(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  const link = page
    .getByRole('list', { name: 'Datasets' })
    .getByRole('link', { name: /topics/ })
    .first();
  await link.focus();
  await page.keyboard.press('Enter');
  await press(page, 'tab', 'Map');
}

/** Focuses a control and presses Enter. */
async function press(page: Page, role: 'button' | 'tab', name: string | RegExp): Promise<void> {
  await page.getByRole(role, { name }).first().focus();
  await page.keyboard.press('Enter');
}

test('a map is computed, coloured by clusters, and leads to the rows of a region, by keyboard alone', async ({
  page,
}) => {
  const complaints = await watch(page);
  await openMap(page);
  await expect(page.getByRole('heading', { name: 'This dataset has no map yet' })).toBeVisible();
  await look(page, 'map-empty');

  await press(page, 'button', 'Compute the map');
  await expect(page.getByRole('img', { name: /^Map of 600 rows/ })).toBeVisible();
  const groups = page.getByRole('group', { name: 'Parts of the map' }).getByRole('table');
  await expect(groups).toContainText('right');
  await press(page, 'button', 'Colour by 8 clusters');
  await expect(groups.getByRole('row')).toHaveCount(9);
  await expect(page.getByRole('status').filter({ hasText: '600 rows.' })).toBeVisible();
  await look(page, 'map-clusters');

  await page.keyboard.press('/');
  await page.keyboard.type('wrong');
  await expect(
    page.getByRole('status').filter({ hasText: '600 rows; 150 that match in full colour.' }),
  ).toBeVisible();
  await expect(groups.getByRole('columnheader', { name: 'match' })).toBeVisible();
  await look(page, 'map-matching');

  await page.getByLabel('Least x').fill('3,');
  await expect(page.getByText('“3,” is not a number.')).toBeVisible();
  await page.getByLabel('Least x').fill('0');
  const show = page.getByRole('button', { name: /^Show \d+ rows?$/ });
  await expect(show).toBeEnabled();
  const label = (await show.textContent()) ?? '';
  await page.getByLabel('Least x').press('Enter');
  await expect(page.getByRole('tab', { name: /Rows/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByLabel('Search rows')).toHaveValue('wrong map.x:0..');
  const shown = label.replace('Show ', '').trim();
  await expect(page.getByRole('status').filter({ hasText: shown }).first()).toBeVisible();

  await press(page, 'tab', 'Map');
  await expect(page.getByLabel('Least x')).toHaveValue('0');
  await page.getByRole('combobox', { name: 'Colour' }).selectOption('length');
  await expect(page.getByRole('img', { name: /^Colours from/ })).toBeVisible();
  await look(page, 'map-scale');
  expect(complaints).toEqual([]);
});

test('a drag chooses a region, a click opens a row, and undo takes the map away', async ({ page }) => {
  const complaints = await watch(page);
  await openMap(page);
  await page.getByLabel('Search rows').fill('');
  const chart = page.getByRole('img', { name: /^Map of 600 rows/ });
  await expect(chart).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: /^600 rows\.$/ })).toBeVisible();
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart has no place');
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...at(0.1, 0.05));
  await page.mouse.down();
  await page.mouse.move(...at(0.95, 0.85), { steps: 4 });
  await page.mouse.up();
  await expect(page.getByRole('button', { name: /^Show \d+ rows$/ })).toBeEnabled();
  await expect(page.getByLabel('Most y')).not.toHaveValue('');
  await press(page, 'button', 'Zoom in');
  await press(page, 'button', 'Reset');
  await expect(page.getByLabel('Most y')).toHaveValue('');

  // a click along a line through the middle meets a point
  const aside = page.getByRole('complementary', { name: 'Row' });
  for (let step = 0; step < 60 && !(await aside.isVisible()); step += 1)
    await page.mouse.click(...at(0.2 + 0.01 * step, 0.45));
  await expect(aside).toBeVisible();
  await look(page, 'map-row');

  await page.getByRole('tab', { name: 'Map' }).focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('button', { name: 'Colour by 8 clusters' })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('heading', { name: 'This dataset has no map yet' })).toBeVisible();
  expect(complaints).toEqual([]);
});
