import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.startWithRun());
test.afterAll(() => workbench.remove());

/** The share of episodes that complete a chart, by the Results of a run of the plan. */
async function completed(page: Page, plan: string, run: string, chart: string): Promise<number> {
  await page.goto(plan);
  await page.getByRole('link', { name: run, exact: true }).first().click();
  await page.getByRole('tab', { name: 'Curves' }).focus();
  await page.getByRole('tab', { name: 'Results' }).click();
  const row = page.getByRole('region', { name: 'Behaviours' }).getByRole('row', { name: new RegExp(chart) });
  await expect(row).toBeVisible();
  const [, share] = /([\d.]+) \[[\d.]+, [\d.]+\]/.exec((await row.textContent()) ?? '') ?? [];
  return Number(share);
}

test('a sample of behaviours ends, and its charts are edited, checked, replayed and trained with', async ({
  page,
}) => {
  test.setTimeout(720_000);
  const complaints = await watch(page);
  await workbench.openSample(page, 'Behaviours');
  await expect(page.getByText('3 of 3 nodes done')).toBeVisible({ timeout: 600_000 });
  const plan = page.url();
  const base = await completed(page, plan, 'base', 'weave');
  const weave = await completed(page, plan, 'weave', 'weave');
  expect(weave).toBeGreaterThan(base + 0.3);
  const behaviours = page.getByRole('region', { name: 'Behaviours' });
  await expect(behaviours).toContainText('1 × progress');
  await expect(behaviours).toContainText('only measured');
  await behaviours.scrollIntoViewIfNeeded();
  await look(page, 'behaviours-results');

  await page.getByRole('link', { name: 'Open weave in the editor' }).click();
  await expect(page.getByText('No fault was found.')).toBeVisible();
  const order = page.getByRole('list', { name: 'Order', exact: true }).getByRole('button');
  await expect(order).toHaveCount(3);
  await page.getByLabel('Trajectory').selectOption({ index: 1 });
  await page.getByRole('slider', { name: 'Step' }).press('End');
  await expect(page.getByText(/the order is complete\.|of the order were reached/)).toBeVisible();
  await expect(order.first()).toContainText('reached');
  await look(page, 'behaviour-replay');

  // a state is renamed, moved and taken back by keyboard alone
  await order.nth(2).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'State left again' });
  await panel.getByLabel('Name').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('back');
  await page.keyboard.press('Enter');
  await expect(order.nth(2)).toContainText('back');
  await order.nth(2).focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(order.nth(1)).toContainText('back');
  await expect(order.nth(1)).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(order.nth(2)).toContainText('back');
  await page.keyboard.press('Control+z');
  await expect(order.nth(2)).toContainText('left again');
  await page.keyboard.press('Control+Shift+Z');
  await expect(order.nth(2)).toContainText('back');

  // a speed that no driver reaches is named at its state
  await page.getByRole('button', { name: 'Add state' }).click();
  const added = page.getByRole('region', { name: 'State state' });
  await added.getByRole('combobox', { name: 'Observation' }).selectOption('speed');
  await added.getByRole('textbox', { name: 'Number' }).fill('7');
  await expect(page.getByRole('list', { name: 'Faults of state' })).toBeVisible({ timeout: 60_000 });
  await expect(order.nth(3)).toContainText('fault');
  await look(page, 'behaviour-fault');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(page.getByLabel('Chart as JSON')).toHaveValue(/"than": 7/);
  await look(page, 'behaviour-json');
  await page.getByRole('tab', { name: 'State', exact: true }).click();
  await page.getByRole('button', { name: 'Remove state' }).click();
  await expect(order).toHaveCount(3);
  await expect(page.getByText('No fault was found.')).toBeVisible({ timeout: 60_000 });

  await page.getByRole('link', { name: 'Train with this chart' }).click();
  await expect(page.getByRole('heading', { name: 'Launch a run' })).toBeVisible();
  await expect(page.getByRole('radio', { name: /Act in a world/ })).toBeChecked();
  const about = page.getByRole('region', { name: 'What will run' });
  await expect(about).toContainText(/control\/lane-grid, chart weave × 1, chart merge late × 0/);
  await expect(page.getByRole('button', { name: 'Launch', exact: true })).toHaveAttribute(
    'aria-disabled',
    'false',
  );
  await look(page, 'behaviour-launch');
  expect(complaints).toEqual([]);
});
