import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import type { Loop } from '../support/lineage.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let loop: Loop;

test.beforeAll(async () => {
  const workspace = join(workbench.folder, 'first');
  loop = await workbench.planted<Loop>('tests/support/lineage-child.ts');
  await workbench.start('--workspace', workspace);
});
test.afterAll(() => workbench.remove());

const opened = (page: Page, address: string) => workbench.open(page, address);
const graph = (page: Page) => page.getByRole('navigation', { name: 'Lineage graph' });
const thing = (page: Page, name: string | RegExp) => graph(page).getByRole('link', { name });

test('one walks from a number to the labels and the file behind it, by keyboard', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await opened(page, `#/runs/${loop.policyRun}/results`);
  await page.getByRole('link', { name: 'Behind the numbers of step 20' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Lineage of evaluation policy, step 20' })).toBeVisible();
  await expect(thing(page, /^evaluation policy, step 20, pass@1 0\.750/)).toBeFocused();
  await look(page, 'lineage-number');
  await page.keyboard.press('ArrowLeft');
  await expect(thing(page, /^checkpoint policy, step 20/)).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(thing(page, /^run policy,/)).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText(/made from 1 thing, used by/)).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await expect(thing(page, /^evaluation/)).toBeFocused();
  await page.getByLabel('Steps').selectOption('8');
  await expect(thing(page, /^file test/)).toBeVisible();
  await expect(thing(page, /^labels which is better/)).toBeVisible();
  await thing(page, /^run judge/).click();
  await expect(page).toHaveURL(new RegExp(`lineage/run/${loop.judgeRun}\\?steps=8`));
  await expect(page.getByRole('heading', { name: 'Lineage of run judge' })).toBeVisible();
  await expect(thing(page, /^run judge/)).toBeFocused();
  await page.keyboard.press('o');
  await expect(page).toHaveURL(new RegExp(`#/runs/${loop.judgeRun}`));
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Lineage of evaluation policy, step 20' })).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the graph shows both ways, a table of itself, and how much it leaves out', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1000, height: 700 });
  await opened(page, `#/lineage/run/${loop.policyRun}?each=4`);
  await expect(thing(page, /^dataset answers of the policy/)).toHaveCount(0);
  await expect(page.getByText('+13')).toBeVisible();
  await look(page, 'lineage-run');
  await page.getByLabel('Neighbours').selectOption('100');
  await expect(thing(page, /^dataset answers of the policy/)).toBeVisible();
  await expect(thing(page, /^checkpoint judge, step 20, reward model/)).toBeVisible();
  await look(page, 'lineage-wide');
  await page.getByRole('button', { name: 'As a table' }).click();
  const row = page.getByRole('row', { name: /^answers, version clean/ });
  await expect(row).toContainText('policy');
  await look(page, 'lineage-table');
  await row.getByRole('link', { name: 'Open answers, version clean' }).click();
  await expect(page.getByLabel('Dataset name')).toHaveValue('answers');
  expect(complaints).toEqual([]);
});

test('a thing that is not there is refused with what to do, and no address asks for one', async ({
  page,
}) => {
  await opened(page, '#/lineage/run/nobody');
  await expect(page.getByText('There is no run with this id in the workspace.')).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#/lineage';
  });
  await expect(page.getByText('Lineage of what?')).toBeVisible();
});
