import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, look, lookAtSizes, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', `${workbench.folder}/first`));
test.afterAll(() => workbench.remove());

test('systems are found by state, class, cluster and words, by keyboard, and the address holds it all', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await atHome(page);
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  const list = page.getByRole('navigation', { name: 'Systems' });
  const status = page.getByRole('status').filter({ hasText: 'system' });
  await expect(status).toHaveText('291 systems');
  await expect(list.getByRole('link')).toHaveCount(291);
  await lookAtSizes(page, 'atlas-empty');

  const states = page.getByRole('group', { name: 'State' });
  const shown = (await states.getByRole('button').allTextContents()).map((text) =>
    Number(/\d+/.exec(text)?.[0]),
  );
  expect(shown.reduce((sum, count) => sum + count, 0)).toBe(291);
  await states.getByRole('button', { name: 'works' }).press('Enter');
  await expect(list.getByRole('link')).toHaveCount(shown[0]);
  await page.getByLabel('Class').selectOption('post-training');
  await page.keyboard.press('/');
  await page.keyboard.type('curriculum');
  await expect(page).toHaveURL(/state=works.*q=curriculum|q=curriculum.*state=works/);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const first = await page.getByRole('heading', { level: 1 }).textContent();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(first ?? '');
  const second = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(second);
  await expect(page.getByLabel('Find a system')).toHaveValue('curriculum');

  await page.getByLabel('Find a system').fill('no such system');
  await expect(page.getByText('No system passes this filter.')).toBeVisible();
  await look(page, 'atlas-none-found');
  await page.getByRole('button', { name: 'Show all' }).press('Enter');
  await expect(status).toHaveText('291 systems');

  await page.getByLabel('Cluster').selectOption({ label: '14. Control worlds' });
  await list.getByRole('link', { name: 'METRA' }).first().press('Enter');
  await expect(page.getByRole('heading', { name: 'What it needs' })).toBeVisible();
  await look(page, 'atlas-not-carried');
  await workbench.open(page, '#/atlas/no-such-system');
  await expect(page.getByRole('heading', { name: 'No such system' })).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a system that works opens its method and runs its toy run', async ({ page }) => {
  test.setTimeout(120_000);
  const complaints = await watch(page);
  await workbench.open(page, '#/atlas/tpo?state=works');
  await expect(page.getByRole('heading', { name: 'TPO (triple preference)' })).toBeVisible();
  const toy = page.getByRole('region', { name: 'Toy run' });
  await toy.getByRole('button', { name: 'Run it here' }).press('Enter');
  await expect(toy.getByRole('cell', { name: 'this machine' })).toBeVisible({ timeout: 90_000 });
  await expect(toy.getByRole('row', { name: /this machine/ })).toContainText('reached');
  await lookAtSizes(page, 'atlas-works');
  await page.getByRole('link', { name: 'Open the method' }).press('Enter');
  await expect(page).toHaveURL(/#\/methods\/method\/tpo/);
  await expect(page.getByRole('link', { name: 'Launch a run with it' })).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a measured system shows its claims with their effects and verdicts, and copies its command', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await workbench.open(page, '#/atlas/crt');
  const measured = page.getByRole('region', { name: 'Measured' });
  await expect(measured).toContainText('7 of 8 claims hold, the opposite of 1');
  await expect(measured).toContainText('400 updates a side; 5 seeds');
  const rowOf = (claim: string) => measured.getByRole('row', { name: claim });
  await expect(measured.getByRole('row')).toHaveCount(9);
  await expect(rowOf('More families found')).toContainText('+1.2 [.2, 2.6]');
  await expect(rowOf('More families found')).toContainText('holds');
  await expect(rowOf('No fewer successes')).toContainText('−.155 [−.193, −.119]');
  await expect(rowOf('No fewer successes')).toContainText('opposite');
  await lookAtSizes(page, 'atlas-measured');
  await measured.getByRole('button', { name: 'Copy the command' }).press('Enter');
  await expect(measured.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'npm run bench -- ten --only crt --json',
  );
  await workbench.open(page, '#/atlas/orso');
  await expect(page.getByRole('region', { name: 'Claims' }).getByRole('row')).toHaveCount(17);
  await lookAtSizes(page, 'atlas-measured-long');
  await workbench.open(page, '#/atlas/tpo');
  await expect(page.getByRole('heading', { name: 'TPO (triple preference)' })).toBeVisible();
  await expect(measured).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('a system that can be expressed is launched with its specification', async ({ page }) => {
  test.setTimeout(120_000);
  const complaints = await watch(page);
  await workbench.open(page, '#/atlas/dr-po');
  await expect(page.getByRole('heading', { name: 'The difference to the paper' })).toBeVisible();
  await lookAtSizes(page, 'atlas-expressible');
  await page.getByRole('link', { name: 'Launch', exact: true }).press('Enter');
  await expect(page).toHaveURL(/#\/runs\/new\?system=dr-po/);
  await openAdvanced(page);
  await expect(page.getByLabel('Name of the run', { exact: true })).toHaveValue('DR-PO');
  await expect(page.getByLabel('Group size', { exact: true })).toHaveValue('2');
  const steps = page.getByLabel('Steps', { exact: true });
  await steps.fill('3');
  const start = page.getByRole('button', { name: /^(Launch|Start)/ });
  await expect(start).toBeEnabled({ timeout: 60_000 });
  await start.press('Enter');
  await expect(page).toHaveURL(/#\/runs\/(?!new)/, { timeout: 60_000 });
  await expect(page.getByRole('heading', { name: 'DR-PO' }).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a system that several runs carry opens its plan', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, '#/atlas/cream');
  await expect(page.getByRole('heading', { name: 'Evidence' })).toBeVisible();
  await page.getByRole('link', { name: 'Open the plan' }).press('Enter');
  await expect(page).toHaveURL(/#\/runs\/plans\/new\?preset=cream/);
  await expect(page.getByLabel('The plan, as JSON')).toHaveValue(/consistent-pair/);
  expect(complaints).toEqual([]);
});
