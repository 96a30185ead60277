import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(async () => {
  await workbench.trained({
    name: 'parent',
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 32 },
        tokenizer: { kind: 'characters' },
      },
    },
    task: { kind: 'world', id: 'toy/copy' },
    budget: { steps: 6, batch: 8 },
    checkpoints: { every: 3, keep: 9 },
    sampling: { maxTokens: 6 },
    evaluation: { problems: 20, samples: 2 },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const go = (page: Page, hash: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = to;
  }, hash);
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
}
/** The id of the run of this name, from the list. */
async function runId(page: Page, name: RegExp): Promise<string> {
  const link = page.getByRole('list', { name: 'Runs' }).getByRole('link', { name }).first();
  return ((await link.getAttribute('href')) ?? '').split('/').at(-1) ?? '';
}

test('a sweep is planned in the launch form, and its table shows the best configuration', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page);
  await go(page, '#/runs');
  const parent = await runId(page, /^parent/);
  await go(page, `#/runs/new?from=${parent}`);
  await page.getByRole('button', { name: 'Sweep…' }).click();
  await page.getByRole('textbox', { name: 'Values 1' }).fill('0.001, 0.01, 0.03');
  await page.getByLabel('Strategy').selectOption('successive-halving');
  await page.getByLabel('Configurations').fill('3');
  await expect(page.getByText(/3 configurations × 1 seed: 4 runs, 10 steps/)).toBeVisible();
  await look(page, 'sweep');
  await page.getByLabel('Strategy').selectOption('grid');
  await page.getByRole('combobox', { name: 'Setting 1' }).fill('optimizer.rate');
  await expect(
    page
      .getByRole('alert')
      .or(page.getByText(/optimizer\.rate = 0\.001/))
      .first(),
  ).toBeVisible();
  await page.getByRole('combobox', { name: 'Setting 1' }).fill('optimizer.learningRate');
  await expect(page.getByText(/3 configurations × 1 seed: 3 runs, 18 steps/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Name of the run' }).fill('rates');
  await page.getByRole('button', { name: 'Launch the sweep' }).click();

  await expect(page).toHaveURL(/#\/runs\/experiments\//);
  await expect(page.getByRole('heading', { name: 'rates' })).toBeVisible();
  const table = page.getByRole('region', { name: 'Configurations' });
  await expect(table.getByRole('row')).toHaveCount(4);
  await expect(page.getByText('3 of 3 runs ended')).toBeVisible({ timeout: 60_000 });
  await expect(table.locator('strong').first()).toHaveText(/best|tied/);
  await expect(page.getByText('eval/pass_at_1 over optimizer.learningRate')).toBeVisible();
  await look(page, 'experiment');

  await page.getByRole('link', { name: 'Explore' }).click();
  await expect(page).toHaveURL(/#\/compare\?.*tab=explore/);
  await go(page, '#/runs/experiments');
  await expect(page.getByRole('link', { name: 'rates' })).toBeVisible();
  await look(page, 'experiments');
  expect(complaints).toEqual([]);
});

test('the queue is paused, put in another order, and goes on', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await go(page, '#/runs');
  const parent = await runId(page, /^parent/);
  await go(page, `#/runs/new?from=${parent}&set=${encodeURIComponent('{"budget.steps":4000,"seed":1}')}`);
  await page.getByRole('textbox', { name: 'Name of the run' }).fill('long');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'long' })).toBeVisible();
  for (const name of ['second', 'third']) {
    await go(page, `#/runs/new?from=${parent}`);
    await page.getByRole('textbox', { name: 'Name of the run' }).fill(name);
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await expect(page.getByRole('heading', { name })).toBeVisible();
  }
  await page.getByRole('link', { name: 'Queue (3)' }).click();
  const queue = page.getByRole('region', { name: 'Runs in the queue' });
  const names = queue.getByRole('link');
  await expect(names).toHaveText(['long', 'second', 'third']);
  await queue.getByRole('button', { name: 'Move third up' }).focus();
  await page.keyboard.press('Enter');
  await expect(names).toHaveText(['long', 'third', 'second']);
  await look(page, 'queue');
  await page.getByRole('button', { name: 'Pause the queue' }).click();
  await expect(page.getByText('The queue is paused')).toBeVisible();
  await queue.getByRole('button', { name: 'Stop long' }).click();
  await expect(names).toHaveText(['third', 'second']);
  await expect(queue.getByText('paused')).toHaveCount(2);
  await look(page, 'queue-paused');

  await page.reload();
  await expect(names).toHaveText(['third', 'second']);
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByText('Engine idle')).toBeVisible({ timeout: 60_000 });

  await page.getByRole('button', { name: 'Select' }).click();
  await page.getByRole('checkbox', { name: 'Choose second' }).check();
  await page.getByRole('checkbox', { name: 'Choose third' }).check();
  await look(page, 'chosen');
  await page.getByRole('group', { name: 'Chosen runs' }).getByRole('button', { name: 'Archive' }).click();
  await expect(page.getByText('2 runs archived.')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a checkpoint is forked with changed settings', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await go(page, '#/runs');
  await page
    .getByRole('list', { name: 'Runs' })
    .getByRole('link', { name: /^parent/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Fork from step 3' }).click();
  await expect(page.getByText('Continues from step 3, with the optimizer’s state.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name of the run' }).fill('forked');
  await expect(page.getByText('cpu, seed 0')).toBeVisible();
  await look(page, 'fork');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'forked' })).toBeVisible();
  await expect(page.getByText('with the optimizer’s state')).toBeVisible();
  expect(complaints).toEqual([]);
});
