import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let ids: readonly string[] = [];
test.beforeAll(async () => {
  ids = await workbench.planted<string[]>('tests/support/compared-child.ts');
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Opens the comparison of the first `count` runs at an address. */
async function open(page: Page, count: number, more = ''): Promise<void> {
  await workbench.open(page, `#/compare?runs=${ids.slice(0, count).join(',')}${more}`);
  await expect(page.getByRole('heading', { name: 'Comparison' })).toBeVisible();
}
/** Focuses a control and presses a key. */
async function press(
  page: Page,
  role: 'button' | 'tab' | 'checkbox',
  name: string | RegExp,
  key = 'Enter',
): Promise<void> {
  await page.getByRole(role, { name }).first().focus();
  await page.keyboard.press(key);
}

test('differences to a baseline are concluded, seeds fold, and a cell of the wins opens its problems', async ({
  page,
}) => {
  const complaints = await watch(page);
  await open(page, 5);
  const conclusions = page.getByRole('list', { name: 'Conclusions' });
  await expect(conclusions).toContainText(
    /better seed 0 is better than base by \.\d+ \[\.\d+, \.\d+\] on 200 common problems/,
  );
  await expect(conclusions).toContainText('elsewhere and base cannot be told apart: .000');
  await expect(page.getByText('Left out: unevaluated has no evaluation of a policy.')).toBeVisible();
  await look(page, 'compare-results');

  const saved = page.waitForEvent('download');
  await press(page, 'button', 'CSV of the differences');
  const csv = readFileSync(await (await saved).path(), 'utf8');
  expect(csv).toContain('better seed 0,base,pass@1,0.');

  await page.getByRole('combobox', { name: 'Baseline' }).selectOption('elsewhere');
  await expect(conclusions).toContainText('base and elsewhere cannot be told apart');
  expect(page.url()).toContain(`baseline=${ids[3]}`);
  await page.getByRole('combobox', { name: 'Baseline' }).selectOption('base');
  await press(page, 'checkbox', 'Fold seeds', 'Space');
  await expect(conclusions).toContainText('better is better than base by');
  await expect(conclusions).toContainText('means over 2 and 1 seeds');
  await expect(page.getByRole('region', { name: 'Aggregates' })).toContainText('n = 2');
  await look(page, 'compare-folded');

  await press(page, 'button', /^better against base/);
  await expect(page.getByRole('tab', { name: 'Problems' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('status').filter({ hasText: 'Solved by both' })).toContainText('McNemar');
  await page.getByRole('combobox', { name: 'Problems' }).selectOption('only A solves');
  await look(page, 'compare-problems');
  await press(page, 'button', /^copy the letters number/);
  await expect(page.getByRole('tab', { name: 'Side by side' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('region', { name: 'Answers of better seed 0' })).toBeVisible();
  await press(page, 'checkbox', 'Mark differences', 'Space');
  await expect(page.locator('mark').first()).toBeVisible();
  await expect(page.getByText(/^×[2-4]$/).first()).toBeVisible();
  await look(page, 'compare-answers');

  // the address opens the same view
  const address = page.url();
  await page.reload();
  await expect(page.locator('mark').first()).toBeVisible();
  expect(page.url()).toBe(address);
  await press(page, 'checkbox', 'Only prompts with different results', 'Space');
  await expect(page.locator('article').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('curves form a grid along steps, tokens, time or KL, with bands of seeds', async ({ page }) => {
  const complaints = await watch(page);
  await open(page, 5, '&tab=curves&fold=1');
  const loss = page.getByRole('img', { name: /^loss: / });
  await expect(loss).toHaveAttribute('aria-label', /better, n = 2 ends at/);
  await expect(loss).toHaveAttribute('aria-label', /base, n = 1 ends at/);
  await expect(page.getByRole('img', { name: /^kl: / })).toBeVisible();
  await look(page, 'compare-curves');
  await loss.hover();
  const tip = page.locator('.tip');
  await expect(tip).toHaveCount(1);
  await expect(tip).toContainText(/^step \d+/);
  await expect(tip).toContainText('better, n = 2');
  await expect(tip).toContainText('base, n = 1');
  await page.mouse.move(0, 0);
  await expect(tip).toBeHidden();
  await page.getByRole('combobox', { name: 'Smoothing' }).selectOption('EMA 0.9');
  await expect(page.getByText('smoothed, EMA 0.9').first()).toBeVisible();
  await page.getByRole('combobox', { name: 'x', exact: true }).selectOption('tokens');
  await expect(page.getByText(/^Not drawn along tokens, which they did not record: base/)).toBeVisible();
  await expect(loss).toHaveAttribute('aria-label', /^loss: better, n = 2/);
  await page.getByRole('combobox', { name: 'x', exact: true }).selectOption('seconds');
  const before = await loss.getAttribute('aria-label');
  await page.getByRole('group', { name: 'Runs drawn' }).getByRole('checkbox', { name: /^base/ }).focus();
  await page.keyboard.press('Space');
  const better = /better, n = 2 ends at [\d.]+/.exec(before ?? '')?.[0] ?? 'none';
  await expect(loss).toHaveAttribute('aria-label', `loss: ${better}`);
  await look(page, 'compare-curves-hidden');

  await press(page, 'tab', 'Configuration');
  await expect(page.getByRole('row', { name: /optimizer\.learningRate/ })).toContainText('Learning rate');
  await look(page, 'compare-configuration');
  await press(page, 'button', 'Save the view');
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await press(page, 'tab', 'Results');
  await page.getByRole('combobox', { name: 'View' }).selectOption('settings');
  await expect(page.getByRole('tab', { name: 'Configuration' })).toHaveAttribute('aria-selected', 'true');
  expect(complaints).toEqual([]);
});

test('it fits a window of 1000 by 700, and one run or none has something to say', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1000, height: 700 });
  await open(page, 3);
  await expect(page.getByRole('region', { name: 'Wins' })).toBeVisible();
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
  ).toBe(true);
  await look(page, 'compare-small');
  await open(page, 1, '&tab=problems');
  await expect(page.getByText('Choose two runs with an evaluation, answer by answer.')).toBeVisible();
  await open(page, 1);
  await expect(page.getByText('Choose two runs with an evaluation.')).toBeVisible();
  await press(page, 'tab', 'Results', 'ArrowRight');
  await expect(page.getByRole('tab', { name: 'Problems' })).toBeFocused();
  expect(complaints).toEqual([]);
});
