import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { smallJudge } from '../support/small-judge.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const prompts = 240;
const workbench = new Workbench();

test.beforeAll(async () => {
  const path = join(workbench.folder, 'questions.jsonl');
  const lines = Array.from({ length: 2 * prompts }, (_none, i) => {
    const prompt = i >> 1;
    const right = i % 2 === 0;
    return JSON.stringify({
      prompt: `Which is ${prompt}?`,
      answer: right ? `It is ${prompt}${'.'.repeat(prompt % 4)}` : `No ${'x'.repeat(prompt % 9)}`,
      correct: right,
      topic: ['art', 'maths', 'law'][prompt % 3],
    });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
  await workbench.command('import', path);
  const [{ id }] = await workbench.answer<{ id: string }[]>('datasets', 'list');
  await workbench.trained(smallJudge('judge', id, 0));
  await workbench.trained(smallJudge('other', id, 1));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  const tab = page.getByRole('tab', { name });
  await page.getByRole('tab', { selected: true }).focus();
  for (let left = await page.getByRole('tab').count(); left > 0; left -= 1) {
    if ((await tab.getAttribute('aria-selected')) === 'true') return;
    await page.keyboard.press('ArrowRight');
  }
};
const status = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('status').filter({ hasText: text }).first()).toBeVisible();

/** Opens the first reward model from the list, by keyboard. */
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page
    .getByRole('list', { name: 'Reward models' })
    .getByRole('link', { name: /^judge/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'judge' })).toBeVisible();
}

test('a bar opens its pairs, which are sorted, read one by one and sent to be labeled, by keyboard', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  const bars = page.getByRole('navigation', { name: 'Bars of Margins' }).getByRole('link');
  await expect(bars.first()).toBeVisible();
  await expect(page.getByText(/Temperature|No temperature/).first()).toBeVisible();
  await expect(page.getByRole('img', { name: /^Score over length/ })).toBeVisible();
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `rewards-overview-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  await bars.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(bars.nth(1)).toBeFocused();
  const told = await bars.nth(1).getAttribute('aria-label');
  const counted = /: (\d+) pairs/.exec(told ?? '')?.[1];
  await page.keyboard.press('Enter');
  await status(page, new RegExp(`^${counted} pairs?$`));
  await expect(page).toHaveURL(/\/pairs\?mark=margins/);

  await page.getByRole('button', { name: 'Show all pairs' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Order').focus();
  await page.getByLabel('Order').selectOption('surest-error');
  await page.getByLabel('Show', { exact: true }).selectOption('wrong');
  await status(page, /^\d+ pairs?$/);
  const links = page.getByRole('region', { name: 'Pairs' }).getByRole('link');
  await links.first().focus();
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: /^Pair \d+$/ });
  await expect(card).toContainText('It is');
  const first = await card.getAttribute('aria-label');
  await page.keyboard.press('j');
  await expect(card).not.toHaveAttribute('aria-label', first ?? '');
  await page.keyboard.press('k');
  await expect(card).toHaveAttribute('aria-label', first ?? '');
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `rewards-pairs-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.keyboard.press('d');
  await expect(page.getByLabel('Name of the dataset')).toBeFocused();
  await page.keyboard.type('errors');
  await page.keyboard.press('Enter');
  await status(page, 'saved as the dataset errors');
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('saved as the dataset')).toBeHidden();
  const back = page.url();

  await page.locator('body').focus();
  await page.keyboard.press('e');
  await page.keyboard.type('hard ones');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/suites\?data=dataset/);
  await expect(page.getByRole('combobox', { name: 'Items from' }).locator('option:checked')).toHaveText(
    'hard ones',
  );
  await page.getByRole('button', { name: 'Run the suite' }).press('Enter');
  await expect(page.getByText('hard ones (dataset, as imported)')).toBeVisible();
  await page.goto(back);
  await expect(card).toHaveAttribute('aria-label', first ?? '');

  await page.locator('body').focus();
  await page.keyboard.press('l');
  await expect(page.getByLabel('Name of the label set')).toHaveValue('Disagreements of judge');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Disagreements of judge' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Prompt' })).toContainText('Which is');
  await page.goto(back);
  await expect(card).toHaveAttribute('aria-label', first ?? '');
  await page.keyboard.press('r');
  await expect(page.getByRole('region', { name: 'Prompt' })).toContainText('Which is');
  expect(complaints).toEqual([]);
});

test('slices by a column open their pairs, and another model is compared on the same ones', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await tabTo(page, /^Slices/);
  await page.getByRole('checkbox', { name: 'topic' }).focus();
  await page.keyboard.press('Space');
  const table = page.getByRole('region', { name: 'Accuracy by slice' });
  await expect(table.getByRole('link', { name: 'maths' })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await look(page, 'rewards-slices');
  const row = table.getByRole('row').filter({ hasText: 'maths' });
  const n = await row.getByRole('cell').nth(1).textContent();
  await table.getByRole('link', { name: 'maths' }).focus();
  await page.keyboard.press('Enter');
  await status(page, new RegExp(`^${n?.trim() ?? ''} pairs$`));
  await expect(page.getByText('topic: maths')).toBeVisible();

  await tabTo(page, /^Other models/);
  await page.getByRole('group', { name: 'Compare with' }).getByLabel('other').check();
  await expect(page.getByText('Answers put into the same order')).toBeVisible();
  await look(page, 'rewards-against');
  await page.goto(`${workbench.url}`);
  expect(complaints).toEqual([]);
});

test('probes say which edits move the score that should not, and can be cancelled', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await tabTo(page, /^Probes/);
  await page.getByLabel('Answers', { exact: true }).fill('1,5');
  await expect(page.getByRole('button', { name: 'Probe the judge' })).toBeDisabled();
  await page.getByLabel('Answers', { exact: true }).fill('40');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Probe the judge' }).focus();
  await page.keyboard.press('Enter');
  await status(page, /^(No probe failed|\d+ of \d+ probes failed: .+)\.$/);
  const table = page.getByRole('region', { name: 'Probes' });
  await expect(table.getByRole('row')).not.toHaveCount(1);
  await expect(table).toContainText(/passed|failed|unclear/);
  await expect(table).toContainText('40');
  await expect(page.getByRole('group', { name: /^Effects of edits on the score/ })).toBeVisible();
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `rewards-probes-${width}`);
  }
  expect(complaints).toEqual([]);
});
