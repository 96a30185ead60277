import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, decide, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);
test.describe.configure({ mode: 'serial' });

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

const rows = Array.from({ length: 3 }, (_none, i) => [
  { prompt: `What is ${i} + 1?`, completion: `Take ${i}.\n\nAdd **one**.\n\nSo it is ${i + 1}.`, model: 'A' },
  { prompt: `What is ${i} + 1?`, completion: `Take ${i}.\n\nAdd two.\n\nSo it is ${i + 2}. 😀`, model: 'B' },
]).flat();

const prompt = (page: Page) => page.getByRole('region', { name: 'Prompt' });

/** Opens the list of label sets by the rail. */
async function openList(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await atHome(page);
  const screens = page.getByRole('navigation', { name: 'Screens' });
  await screens.getByRole('link', { name: 'Label', exact: true }).click();
}

async function createSet(page: Page, mode: string, name: string): Promise<void> {
  await openList(page);
  await page.getByLabel('Source').selectOption({ label: 'answers' });
  const modes = page.getByRole('combobox', { name: /^Mode/ });
  const options = await modes.locator('option').allTextContents();
  await modes.selectOption({ label: options.find((each) => each.startsWith(mode)) ?? '' });
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create items' }).press('Enter');
  await expect(prompt(page)).toBeVisible();
}

test('correctness by keyboard: correct, incorrect, the first wrong step; the review says it', async ({
  page,
}) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'answers.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await expect(page.getByRole('link', { name: 'Label pairs' }).first()).toBeVisible();
  await createSet(page, 'Correctness', 'judged');
  await expect(page.getByText('0 / 6')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Step \d is the first wrong one$/ }).first()).toBeVisible();
  await look(page, 'label-correctness');
  await decide(page, 'j');
  await expect(page.getByText('1 / 6')).toBeVisible();
  await decide(page, '2');
  await expect(page.getByText('2 / 6')).toBeVisible();
  await decide(page, 'ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.item:not([inert])').getByRole('button', { name: 'Step 3 is' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await look(page, 'label-correctness-step');
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 / 6')).toBeVisible();
  await decide(page, 'k');
  await page.keyboard.press('k');
  await expect(page.getByText('4 / 6')).toBeVisible();
  await page.keyboard.press('u');
  await expect(page.getByText('3 / 6')).toBeVisible();
  await decide(page, 'ArrowRight');
  await expect(page.getByText('4 / 6')).toBeVisible();
  await page.getByRole('link', { name: '4 / 6' }).press('Enter');
  await expect(page.getByText('incorrect from step 2 of 3')).toBeVisible();
  await expect(page.getByText('incorrect from step 3 of 3')).toBeVisible();
  await look(page, 'label-correctness-review');
  expect(complaints).toEqual([]);
});

test('spans by keyboard and by mouse, with a comment, shown in the review', async ({ page }) => {
  const complaints = await watch(page);
  await createSet(page, 'Spans', 'marked');
  await decide(page, 'Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  const item = page.locator('.item:not([inert])');
  await expect(item.getByRole('status')).toContainText(/selected “Take \d”/);
  await page.keyboard.press('1');
  await expect(item.getByRole('button', { name: '1 wrong' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('m');
  await expect(item.getByLabel('Comment on the span')).toBeFocused();
  await page.keyboard.type('not 3 but 4');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('3');
  await expect(item.locator('[data-ending]')).toHaveCount(2);
  await look(page, 'label-spans');
  await page.keyboard.press('Backspace');
  await expect(item.locator('[data-ending]')).toHaveCount(1);
  // drag over the last line
  const text = item.getByRole('region', { name: 'Raw text of the answer' });
  const box = await text.getByText('So it is').boundingBox();
  if (!box) throw new Error('the text is not shown');
  await page.mouse.move(box.x + 1, box.y + box.height - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + box.height - 8);
  await page.mouse.up();
  await expect(item.getByRole('status')).toContainText('selected “So it');
  await item.getByRole('button', { name: '2 unsupported' }).press('Enter');
  await expect(item.locator('[data-ending]')).toHaveCount(2);
  await expect(page.getByText('0 / 6')).toBeVisible();
  await text.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 / 6')).toBeVisible();
  await decide(page, 'Enter');
  await expect(page.getByText('2 / 6')).toBeVisible();
  await page.getByRole('link', { name: '2 / 6' }).press('Enter');
  await expect(page.getByText('wrong (not 3 but 4), unsupported')).toBeVisible();
  await expect(page.getByText('nothing marked')).toBeVisible();
  await expect(page.locator('[data-ending="wrong"]')).toHaveText(/^Take \d$/);
  await look(page, 'label-spans-review');
  expect(complaints).toEqual([]);
});

test('a set is exported from the list in the formats of its mode, by keyboard', async ({ page }) => {
  const complaints = await watch(page);
  await openList(page);
  const row = page.getByRole('row').filter({ has: page.getByLabel('Name of judged') });
  await row.getByRole('button', { name: 'Export' }).press('Enter');
  const panel = page.getByRole('form', { name: 'Export of judged' });
  const format = panel.getByRole('combobox', { name: 'Format' });
  await expect(format).toBeFocused();
  await expect(format.locator('option')).toContainText(['ProcessBench, first wrong step']);
  await expect(format.locator('option', { hasText: 'spans' })).toHaveCount(0);
  await format.selectOption('TRL stepwise supervision');
  const target = join(workbench.folder, 'steps.jsonl');
  await panel.getByLabel('Into the file').fill(target);
  await page.keyboard.press('Enter');
  await expect(panel.getByText(`Wrote 3 records into ${target}`)).toBeVisible();
  await expect(panel.getByText('Left out: 1 wrong answers without a first wrong step.')).toBeVisible();
  await look(page, 'label-export');
  const records = readFileSync(target, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { labels: boolean[] }).labels.join());
  expect(records.sort()).toEqual(['true,false', 'true,true,false', 'true,true,true']);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  expect(complaints).toEqual([]);
});
