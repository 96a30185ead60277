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
let runId: string;
test.beforeAll(async () => {
  const { checkpointId } = await workbench.trained({
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
  });
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
    models: { policy: { kind: 'checkpoint', checkpointId } },
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

  await main.getByRole('button', { name: 'Build mutation data' }).click();
  await main.getByRole('link', { name: 'mutation data of evolved' }).click();
  await expect(page).toHaveURL(/#\/datasets\//);
  expect(complaints).toEqual([]);
});

test('the sample Evolve opens from Home as a plan', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.openSample(page, 'Evolve');
  await expect(page.getByRole('row').filter({ hasText: 'rl-selector' })).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  expect(complaints).toEqual([]);
});
