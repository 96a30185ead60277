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
  await expect(page.getByLabel('Begins from').getByRole('option')).not.toHaveCount(1);
  await page.getByLabel('Begins from').selectOption({ index: 1 });
  await look(page, 'arena-add');
  await page.getByRole('button', { name: 'Add to the arena' }).click();
  await expect(page.getByRole('article')).toHaveCount(5, { timeout: 20_000 });

  await expect(page.getByText('13 of 13 nodes done')).toBeVisible({ timeout: 180_000 });
  await expect(card('own').getByText(/^[1-9] of 12 budgets, \d+ %$/)).toBeVisible();
  await expect(page.getByText('leading')).toHaveCount(1);
  await expect(card('own').getByText(/^Began from the policy of/)).toBeVisible();
  await expect(card('own').getByRole('button')).toHaveCount(0);
  await expect(page.getByText('Regret against the best so far')).toBeVisible();
  await look(page, 'arena');
  expect(complaints).toEqual([]);
});

test('a form makes an arena of rewards on a world, and tries their code first', async ({ page }) => {
  test.setTimeout(180_000);
  const complaints = await watch(page);
  await workbench.open(page, '#/runs/plans/new');
  await page.getByRole('tab', { name: 'Reward arena' }).click();
  const form = page.getByRole('form', { name: 'New reward arena' });
  await expect(form.getByText('17 nodes, 17 runs, 280 steps.')).toBeVisible();
  await look(page, 'arena-form');
  await form.getByLabel('Who gets the next budget').selectOption('uniform');
  await form.getByLabel('Budgets', { exact: true }).fill('5');
  await form.getByLabel('Updates of a budget').fill('1');
  await form.getByLabel('Updates of the start').fill('10');
  await form.getByLabel('Problems of an evaluation').fill('4');
  await form.getByLabel('Code of brief').fill('(row) => row.missing.length');
  await expect(form.getByText('6 nodes, 6 runs, 15 steps.')).toBeVisible();
  const launch = form.getByRole('button', { name: 'Launch the plan' });
  await launch.click();
  await expect(form.getByText(/The reward “brief” fails on an answer/)).toBeVisible({ timeout: 20_000 });
  await form.getByRole('button', { name: 'Remove brief' }).press('Enter');
  await expect(launch).toBeEnabled();
  await launch.click();
  await expect(page.getByRole('heading', { name: 'Reward arena', exact: true })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByText('6 of 6 nodes done')).toBeVisible({ timeout: 120_000 });
  // a run's settings are those of another arena
  await page.getByRole('article', { name: 'ending' }).getByRole('link', { name: 'ending' }).click();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Reward arena…' }).click();
  await expect(form.getByLabel('Settings').locator('option:checked')).toHaveText(/^Like the run arena/);
  await expect(form.getByText('16 nodes, 16 runs, 160 steps.')).toBeVisible();
  expect(complaints).toEqual([]);
});
