import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.startWithRun());
test.afterAll(() => workbench.remove());

test('a sample of start states ends, and its matrix opens the answers behind a number', async ({ page }) => {
  test.setTimeout(300_000);
  const complaints = await watch(page);
  await workbench.openSample(page, 'Start states');
  await expect(page.getByText('3 of 3 nodes done')).toBeVisible({ timeout: 240_000 });
  await page.getByRole('link', { name: 'restarts', exact: true }).first().click();
  await page.getByRole('tab', { name: 'Results' }).click();

  const panel = page.getByRole('region', { name: 'Start states' });
  await expect(panel.getByText(/of the wrong beginnings ended right: repaired/)).toBeVisible();
  await expect(panel.getByText(/of the right beginnings ended wrong: damaged/)).toBeVisible();
  await expect(panel.getByText('Beginnings', { exact: true })).toBeVisible();
  await expect(panel.getByText('Back-track depth')).toBeVisible();
  await panel.scrollIntoViewIfNeeded();
  await look(page, 'start-states');

  const cell = panel.getByRole('link', { name: /answers from wrong beginnings that ended wrong/ });
  const counted = ((await cell.textContent()) ?? '').trim();
  await cell.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/samples\?q=purpose/);
  await expect(page.getByText(new RegExp(`${counted} answers`)).first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(
    page.getByText(/^Begins with \d+ tokens? of sample \d+ of step \d+, which is wrong/),
  ).toBeVisible();
  await look(page, 'start-states-answers');

  await page.getByRole('tab', { name: 'Results' }).click();
  const round = page.getByRole('region', { name: 'Distil and restart' });
  await round.getByLabel('Prompts').fill('48');
  await round.getByLabel('Answers to each').fill('4');
  await round.getByLabel('Updates of PPO').fill('2');
  await round.getByLabel('Answers per prompt of PPO').fill('4');
  await round.scrollIntoViewIfNeeded();
  await look(page, 'second-round');
  await round.getByRole('button', { name: 'Distil and restart' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Distil and restart after restarts' })).toBeVisible();
  await expect(page.getByText('4 of 4 nodes done')).toBeVisible({ timeout: 60_000 });
  expect(complaints).toEqual([]);
});

test('the launch form shows the mix of start states and both bonuses', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs/new?method=satori&world=arithmetic`);
  await openAdvanced(page);
  const mix = page.getByRole('group', { name: 'Start states' });
  await expect(
    mix.getByRole('img', { name: 'prompts 50 %, right beginnings 25 %, wrong beginnings 25 %' }),
  ).toBeVisible();
  await mix.getByRole('spinbutton').or(mix.getByRole('textbox')).first().fill('0.4');
  await expect(mix.getByRole('img', { name: /prompts 35 %, right beginnings 40 %/ })).toBeVisible();
  await mix.scrollIntoViewIfNeeded();
  await look(page, 'start-states-form');
  expect(complaints).toEqual([]);
});
