import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.startWithRun());
test.afterAll(() => workbench.remove());

test('a sample of the Reward arena is opened, steered while it runs, and looked at', async ({ page }) => {
  test.setTimeout(240_000);
  const complaints = await watch(page);
  await workbench.openSample(page, 'Reward arena');
  const card = (name: string) => page.getByRole('article', { name, exact: true });
  await expect(page.getByRole('article')).toHaveCount(4);
  await expect(card('exact').getByText('row.reference')).toBeVisible();

  await card('copy').getByRole('button', { name: 'Pause' }).click();
  await expect(card('copy').getByText('stopped')).toBeVisible();
  await card('overlap').getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(card('overlap').getByRole('button', { name: 'Unpin' })).toBeVisible();
  await page.getByRole('button', { name: 'Add a reward…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('own');
  const code = page.getByLabel(/^Reward: a function of a row/);
  await code.fill('(row) => row.missing.length');
  await page.getByRole('button', { name: 'Add to the arena' }).click();
  await expect(page.getByText(/The code fails on an answer/).first()).toBeVisible({ timeout: 20_000 });
  await code.fill('(row) => (row.completion.trim() === `#${row.reference}` ? 1 : 0)');
  await page.getByRole('button', { name: 'Add to the arena' }).click();
  await expect(page.getByRole('article')).toHaveCount(5, { timeout: 20_000 });

  await expect(page.getByText('13 of 13 nodes done')).toBeVisible({ timeout: 180_000 });
  await expect(card('own').getByText(/^[1-9] of 12 budgets, \d+ %$/)).toBeVisible();
  await expect(page.getByText('leading')).toHaveCount(1);
  await expect(card('own').getByRole('button')).toHaveCount(0);
  await expect(page.getByText('Regret against the best so far')).toBeVisible();
  await look(page, 'arena');
  expect(complaints).toEqual([]);
});
