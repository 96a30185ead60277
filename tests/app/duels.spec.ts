import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { decide, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let ids: string[] = [];
test.beforeAll(async () => {
  ids = await workbench.varied(
    {
      name: 'copier',
      method: { id: 'sft' },
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 32, layers: 1, heads: 2, context: 32 },
          tokenizer: { kind: 'characters' },
        },
      },
      task: { kind: 'world', id: 'toy/copy', params: { letters: 8, wrong: 0 } },
      budget: { steps: 60, batch: 16 },
      sampling: { maxTokens: 6 },
      evaluation: { problems: 12, samples: 2 },
    },
    'optimizer.learningRate=0.0001, 0.01',
  );
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('two runs are compared blindly by keyboard, and the result says how sure it is', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  const compare = `#/compare?runs=${ids.join(',')}&tab=duels`;
  await page.evaluate((hash) => {
    location.hash = hash;
  }, compare);
  await expect(page.getByRole('button', { name: 'Compare blindly' })).toBeVisible();
  await look(page, 'duels-empty');
  await page.getByLabel('Pairs').fill('12');
  await page.getByLabel('Pairs').press('Enter');
  await expect(page.getByRole('region', { name: 'Prompt' })).toBeVisible();
  // which run wrote an answer is nowhere on the page
  for (const id of ids) expect(await page.content()).not.toContain(id);
  for (let pair = 0; pair < 3; pair += 1) await decide(page, '1');

  await page.evaluate((hash) => {
    location.hash = hash;
  }, compare);
  await expect(page.getByText(/3 decisions of \d+ pairs/)).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'wins' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Label more' })).toBeVisible();
  await look(page, 'duels');
  expect(complaints).toEqual([]);
});
