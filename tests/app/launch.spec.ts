import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', `${workbench.folder}/first`));
test.afterAll(() => workbench.remove());

test('a goal, few fields, what will run in words, and three seeds at once', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs/new?method=sft&world=toy%2Fcopy`);
  const goal = page.getByRole('radiogroup', { name: 'Goal' });
  await expect(goal.getByRole('radio', { name: /Make a base/ })).toBeChecked();
  const summary = page.getByRole('region', { name: 'What will run' });
  await expect(summary).toContainText('Supervised fine-tuning');
  await expect(summary).toContainText('Nothing.');
  await look(page, 'launch-goal');

  await openAdvanced(page);
  const set = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  for (const [label, value] of [
    ['Width', '16'],
    ['Layers', '1'],
    ['Heads', '2'],
    ['Steps', '2'],
    ['Batch', '4'],
    ['Name of the run', 'seeds'],
  ])
    await set(label, value);
  await page.locator('summary', { hasText: 'Evaluation' }).click();
  await set('Problems', '2');
  await set('Samples', '2');
  await expect(summary).toContainText('2 steps of 4');
  await expect(summary.getByRole('listitem').filter({ hasText: 'budget steps' })).toContainText('→ 2');

  await set('Seeds', '3');
  await expect(summary.getByRole('heading', { name: '3 runs' })).toBeVisible();
  await summary.getByRole('button', { name: /Measure the time|Estimate/ }).click();
  await expect(summary.getByRole('status').filter({ hasText: '3 runs of 2 steps' })).toBeVisible({
    timeout: 60_000,
  });
  await look(page, 'launch-seeds');
  await page.getByRole('button', { name: 'Launch 3 runs' }).click();
  await expect(page.getByText('3 runs queued.')).toBeVisible();
  const runs = page.getByRole('complementary').getByRole('listitem');
  await expect(runs).toHaveCount(3);
  for (const seed of [0, 1, 2]) await expect(runs.filter({ hasText: `seeds (seed ${seed})` })).toHaveCount(1);
  expect(complaints).toEqual([]);
});
