import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let plan = '';
test.beforeAll(async () => {
  test.setTimeout(420_000);
  plan = await workbench.startWithPlan('probe', 0.3);
});
test.afterAll(() => workbench.remove());

test('the failures that a probe has found are looked through and trained on', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, plan);
  await expect(page.getByText('7 of 7 nodes done')).toBeVisible();

  const probe = page.getByRole('region', { name: 'Probe', exact: true });
  await expect(probe.getByText(/right of [\d,]+ answers to [\d,]+ instructions/)).toBeVisible();
  await expect(probe.getByText('Success by round')).toBeVisible();
  const themes = page.getByRole('region', { name: 'Success by kind of change' });
  await expect(themes.getByRole('row', { name: /negation/ })).toBeVisible();

  await page.getByLabel('Failures of').selectOption({ label: 'probe' });
  await page.getByLabel('Change', { exact: true }).selectOption('negation');
  const failures = page.getByRole('region', { name: 'Failures' });
  await expect(failures.getByRole('row').nth(1)).toContainText(/not .*negation/);
  await probe.scrollIntoViewIfNeeded();
  await look(page, 'probe');

  await page.getByRole('button', { name: 'Train on these and probe again' }).click();
  await expect(page.getByRole('heading', { name: 'Train after probe' })).toBeVisible();
  await expect(page.getByText(/of \d+ nodes done/)).toBeVisible();
  await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
  expect(complaints).toEqual([]);
});

test('a policy is probed from its run and its own page, and shows what was found there', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, plan);
  await page.getByRole('link', { name: 'policy', exact: true }).first().click();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const fromRun = await page.getByRole('menuitem', { name: 'Probe…' }).getAttribute('href');
  await page.keyboard.press('Escape');
  const door = page.getByRole('link', { name: 'Probe…' });
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await page.getByRole('link', { name: /^policy/ }).click();
  await expect(door).toHaveAttribute('href', fromRun ?? '');
  await door.click();

  await expect(page.getByRole('heading', { name: 'Launch a run' })).toBeVisible();
  const data = page.getByRole('combobox', { name: 'Data' });
  // a policy of characters is asked in words of its own world alone
  await expect(data.getByRole('option')).toHaveText(['Toy: errands']);
  await page.getByText(/tasks cannot be probed with this model/).click();
  await expect(page.getByText(/The model reads only the characters of “Toy: errands”/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Steps' }).fill('2');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();

  await expect(page.getByRole('tab', { name: 'Probe', selected: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Failures' }).getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Train on these and probe again' })).toBeEnabled();
  await look(page, 'probe-run');
  expect(complaints).toEqual([]);
});
