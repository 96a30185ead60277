import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', `${workbench.folder}/composers`));
test.afterAll(() => workbench.remove());

test('a total other than the weighted sum is chosen, described, refused at its field, and left out again', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs/new?method=grpo&world=toy%2Fcopy`);
  await page.getByText('Combination of scorers').click();
  const total = page.getByLabel('Total', { exact: true });
  await expect(total).toHaveValue('');
  await total.selectOption('gate');
  const summary = page.getByRole('region', { name: 'What will run' });
  await expect(summary).toContainText('Gate');
  const scorer = page.getByLabel('Scorer', { exact: true });
  await scorer.fill('style');
  await expect(page.getByText(/There is no scorer 'style' among the rewards/).first()).toBeVisible();
  await look(page, 'composer-gate');
  await page.setViewportSize({ width: 1000, height: 700 });
  await look(page, 'composer-gate-narrow');
  await total.focus();
  await total.selectOption('');
  await expect(scorer).toHaveCount(0);
  await expect(summary).not.toContainText('Gate');
  expect(complaints).toEqual([]);
});
