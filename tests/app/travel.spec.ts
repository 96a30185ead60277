import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let ids: string[] = [];

test.beforeAll(async () => {
  const workspace = join(workbench.folder, 'first');
  ids = await workbench.planted<string[]>('tests/support/travelled-child.ts');
  await workbench.start('--workspace', workspace);
});
test.afterAll(() => workbench.remove());

test('a prompt is followed through the evaluations of two runs, by keyboard', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.evaluate((runs) => {
    location.hash = `#/compare?runs=${runs}&tab=travel`;
  }, ids.join(','));
  const slider = page.getByRole('slider', { name: 'Evaluation' });
  await expect(slider).toHaveAttribute('aria-valuetext', 'step 40, 4 of 4');
  const current = page.locator('tr[aria-current="step"]');
  await expect(current).toContainText('steady says one two three four five');
  await look(page, 'travel');
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(current).toContainText('resumed says one two three again');
  await expect(current.locator('mark').first()).toHaveText('three');
  await expect(page).toHaveURL(/step=20/);
  await page.getByRole('button', { name: 'Step 10' }).click();
  await expect(current).toContainText('50 % right of 2');
  await page.getByRole('combobox', { name: 'Answer' }).selectOption('2');
  await expect(current).toContainText('verifier 1');
  await page.getByLabel('Mark what changed').uncheck();
  await expect(page.locator('mark')).toHaveCount(0);
  await page.getByLabel('Find prompts').fill('RIVER');
  await page.keyboard.press('Enter');
  await expect(page.locator('p.prompt')).toHaveText('name a river');
  await page.getByLabel('Find prompts').fill('no such prompt');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No prompt of these evaluations contains this text.')).toBeVisible();
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.getByLabel('Find prompts').fill('%_');
  await page.keyboard.press('Enter');
  await expect(page.locator('p.prompt')).toHaveText('50 %_ off');
  await look(page, 'travel-narrow');
  expect(complaints).toEqual([]);
});
