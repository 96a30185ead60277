import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const task = {
  kind: 'world',
  id: 'sorting',
  params: { method: 'none', credit: 'share', levels: 1, heldoutLevels: 0, wrong: 0, rambling: 0 },
} as const;
let [runId, baseId, startId] = ['', '', ''];
test.beforeAll(async () => {
  ({ runId: baseId, checkpointId: startId } = await workbench.trained({
    name: 'base',
    method: { id: 'sft' },
    task,
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 48 },
        tokenizer: { kind: 'characters' },
      },
    },
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 120, batch: 32 },
    sampling: { maxTokens: 8 },
    evaluation: { problems: 0 },
  }));
  ({ runId } = await workbench.trained({
    name: 'evolved',
    method: {
      id: 'search-rounds',
      params: {
        groupSize: 3,
        rounds: 3,
        shows: 3,
        beside: true,
        selector: 'verifier',
        attempt: '{attempt} ',
      },
    },
    task,
    models: { policy: { kind: 'checkpoint', checkpointId: startId } },
    rewards: [{ id: 'verifier' }],
    budget: { steps: 1, batch: 6 },
    sampling: { maxTokens: 8 },
    evaluation: { problems: 6 },
  }));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('rounds of attempts are looked at, walked by keys, and made into mutation data', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/runs/${runId}`);
  const main = page.locator('main');
  await expect(main.getByRole('tab', { name: 'Evolve' })).toHaveAttribute('aria-selected', 'true');
  await expect(main).toContainText('3 attempts in each of 3 rounds');
  await expect(main.getByRole('group', { name: 'Score over sampled answers' })).toBeVisible();
  const rounds = main.getByRole('region', { name: 'Rounds' }).last();
  for (const title of ['Best so far', 'Plain mean', 'Plain best of n', 'Gain in mean'])
    await expect(rounds.getByRole('columnheader', { name: title })).toBeVisible();
  await expect(rounds.getByRole('row')).toHaveCount(4);

  const lineage = main.getByRole('group', { name: 'Lineage of attempts' });
  const attempts = lineage.getByRole('button');
  await expect(attempts).toHaveCount(9);
  await attempts.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(attempts.nth(4)).toBeFocused();
  await expect(attempts.nth(4)).toHaveAttribute('aria-pressed', 'true');
  const chosen = main.getByRole('region', { name: 'Chosen attempt' });
  await expect(chosen).toContainText('Round 2');
  await expect(chosen).toContainText('against the mean of the');
  await main.getByLabel('Prompt').selectOption({ index: 2 });
  await expect(chosen).toContainText('Round 1');
  for (const [width, height] of [
    [1440, 1000],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `evolve-${width}`);
  }

  await main.getByRole('button', { name: 'Build mutation data…' }).click();
  const form = main.getByRole('form', { name: 'Build mutation data' });
  await expect(form).toContainText('with a right sampled answer');
  await form.getByRole('button', { name: 'Save as dataset' }).click();
  await expect(form.getByRole('link', { name: 'mutation data of evolved' })).toBeVisible();
  await form.getByRole('link', { name: 'Train on it' }).click();
  await expect(main.getByLabel('Method', { exact: true }).first()).toHaveValue('sft');
  await expect(main.getByLabel('Data', { exact: true })).toHaveValue(/^dataset /);
  await expect(main.getByLabel('Start from', { exact: true })).toHaveValue(`checkpoint ${startId}`);
  expect(complaints).toEqual([]);
});

test('a policy leads to its search in rounds, and stored answers to mutation data', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/runs/${baseId}`);
  const main = page.locator('main');
  await main.getByRole('button', { name: 'More', exact: true }).click();
  await look(page, 'run-more');
  await page.getByRole('menuitem', { name: 'Evolve…' }).press('Enter');
  const basics = main.getByRole('region', { name: 'Basics' });
  await expect(basics.getByLabel('Start from', { exact: true })).toHaveValue(`checkpoint ${startId}`);
  await expect(basics.getByLabel('Rounds', { exact: true })).toBeVisible();
  await basics.getByLabel('Selector', { exact: true }).selectOption('verifier');
  await expect(main).toContainText('beside on');
  // its template is of characters that the policy writes
  await main.getByRole('button', { name: 'Estimate' }).click();
  await expect(main.getByRole('region', { name: 'Estimate' })).toContainText('about');
  await look(page, 'evolve-form');

  await workbench.open(page, `#/models/${startId}`);
  await expect(main.getByRole('link', { name: 'Evolve…' })).toBeVisible();

  await workbench.open(page, `#/runs/${runId}/samples`);
  await main.getByRole('button', { name: 'Build mutation data…' }).click();
  const form = main.getByRole('form', { name: 'Build mutation data' });
  const sampled = form.getByRole('status').filter({ hasText: 'with a right sampled answer' });
  await expect(sampled).toBeVisible();
  await form.getByLabel('Attempts shown').fill('99');
  await expect(form).toContainText('at most 32');
  await form.getByLabel('Attempts shown').fill('15');
  await form.getByLabel('The task’s reference answer').check();
  await look(page, 'evolve-mutation');
  await page.keyboard.press('Escape');
  await expect(form).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('the sample Evolve opens from Home as a plan', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.openSample(page, 'Evolve');
  await expect(page.getByRole('row').filter({ hasText: 'rl-selector' })).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  expect(complaints).toEqual([]);
});
