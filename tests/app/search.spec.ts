import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let checkpointId: string;
test.beforeAll(async () => {
  ({ checkpointId } = await workbench.trained({
    name: 'base',
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    task: { kind: 'world', id: 'toy/steps', params: { wrong: 0.3 } },
    optimizer: { learningRate: 0.01 },
    budget: { steps: 60, batch: 32 },
    sampling: { maxTokens: 8 },
    evaluation: { problems: 0 },
  }));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a search is launched from the form, and its page shows accuracy over tokens', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/runs/new?method=search&checkpoint=${checkpointId}&world=toy%2Fsteps`);
  await openAdvanced(page);
  // answers are as long as those of the run that it starts from
  const set = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  for (const [label, value] of [
    ['Group size', '8'],
    ['Steps', '2'],
    ['Batch', '10'],
    ['Name of the run', 'searched'],
  ])
    await set(label, value);
  await page.getByLabel('Answer', { exact: true }).selectOption('whole');
  await page.getByRole('button', { name: /^Launch/ }).click();

  const main = page.locator('main');
  await main.getByRole('tab', { name: 'Results' }).click();
  await expect(main.getByRole('heading', { name: 'Search' })).toBeVisible({ timeout: 60_000 });
  await expect(main).toContainText(
    '20 held-out problems by rules that choose among n of 8 answers, the mean over all subsets of n',
  );
  const chart = main.getByRole('group', { name: 'Accuracy over sampled tokens' });
  await expect(chart).toBeVisible();
  const table = main.getByRole('region', { name: 'Accuracy of every rule' });
  for (const rule of ['majority vote', 'RPC', 'best of n by self-certainty', 'oracle (pass@n)'])
    await expect(table.getByRole('rowheader', { name: rule, exact: true })).toBeVisible();
  await expect(chart.getByText('best of n by self-certainty')).toBeVisible();
  await main.getByLabel('Scorer').selectOption('likelihood');
  await expect(chart.getByText('best of n by likelihood')).toBeVisible();
  await page.reload();
  await expect(main.getByLabel('Scorer')).toHaveValue('likelihood');
  await expect(chart.getByText('best of n by likelihood')).toBeVisible();
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await chart.scrollIntoViewIfNeeded();
    await look(page, `search-${width}`);
  }
  await main.getByRole('tab', { name: 'Samples' }).click();
  await expect(main).toContainText('160');
  expect(complaints).toEqual([]);
});
