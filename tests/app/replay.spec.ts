import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let plan = '';
test.beforeAll(async () => {
  test.setTimeout(400_000);
  plan = await workbench.startWithPlan('replay', 0.4);
});
test.afterAll(() => workbench.remove());

/** The share that a gauge shows, in percent. */
const percentOf = (text: string | null): number => Number(/^(\d+) %/.exec(text ?? '')?.[1] ?? Number.NaN);

test('gauges of replay tell its rules apart', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, plan);
  await expect(page.getByText('5 of 5 nodes done')).toBeVisible();
  const effective = page.getByRole('meter', { name: 'Effective sample size' });
  const gauge = page.getByRole('region', { name: 'Effective sample size' });
  const panel = page.getByRole('region', { name: 'Replay', exact: true });
  const results = async (run: string): Promise<number> => {
    await workbench.open(page, plan);
    await page.getByRole('link', { name: run, exact: true }).first().click();
    await page.getByRole('tab', { name: 'Curves' }).focus();
    await page.getByRole('tab', { name: 'Results' }).click();
    await expect(effective).toBeVisible();
    return percentOf(await effective.getAttribute('aria-valuetext'));
  };

  expect(await results('uniform')).toBe(100);
  await expect(gauge).toContainText('All replayed rows weigh alike.');
  await expect(page.getByRole('region', { name: 'Spread of weights' })).toContainText('all alike');
  const stored = page.getByRole('region', { name: 'Stored rows of steps' });
  await expect(stored.getByRole('status')).toContainText('all of weight 1');

  expect(await results('prioritized')).toBeLessThan(100);
  expect(await results('regularized')).toBeLessThan(100);
  await expect(panel).toContainText('All rows that an update learns from are stored ones.');
  await expect(gauge).toContainText('the run doctor warns below 10 %');
  await expect(page.getByRole('region', { name: 'Age of replayed rows', exact: true })).toContainText(
    /That is the mean; half are older than/,
  );
  for (const title of ['Effective sample size', 'Age in batches', 'Weights'])
    await expect(panel.getByRole('img', { name: new RegExp(`^${title}.*ends at`) })).toBeVisible();
  await panel.scrollIntoViewIfNeeded();
  await look(page, 'replay');

  // an earlier evaluation, by keyboard: the buffer held logged steps alone, older by the updates on them
  await expect(stored.getByRole('status')).toContainText(/count as \d+ % of them, weighed alike/);
  const text = await stored.getByRole('status').textContent();
  await expect(stored.getByRole('group', { name: 'Weight by age' })).toBeVisible();
  const step = stored.getByRole('combobox');
  await step.focus();
  await page.keyboard.press('Home');
  await expect(stored.getByRole('status')).not.toHaveText(text ?? '');
  await page.keyboard.press('End');
  await expect(stored.getByRole('status')).toHaveText(text ?? '');
  await stored.getByRole('button', { name: 'Table of Weight by age' }).focus();
  await page.keyboard.press('Enter');
  await expect(stored.getByRole('columnheader', { name: 'weight from' })).toBeVisible();
  await stored.scrollIntoViewIfNeeded();
  await look(page, 'replay-stored');

  expect(await results('sharp')).toBeLessThan(60);
  await page.setViewportSize({ width: 1000, height: 700 });
  await panel.scrollIntoViewIfNeeded();
  await look(page, 'replay-sharp');
  const doctor = panel.getByRole('link', { name: /^(◇ )?Run doctor/ });
  await doctor.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/doctor$/);
  expect(complaints).toEqual([]);
});
