import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const world = (rule: string) => ({ id: 'toy/rewriting', params: { rule, letters: 3 } });
const evaluations = ['reverse', 'swap'].map((name) => ({
  name,
  world: world(name),
  problems: 8,
  samples: 1,
}));
const shared = { sampling: { maxTokens: 5 }, evaluations, evaluation: { problems: 0 } };
const learn = (rule: string, params: object = {}) => ({
  method: { id: 'sft' },
  task: { kind: 'world', ...world(rule), params: { ...world(rule).params, ...params } },
  optimizer: { learningRate: 1e-2 },
  budget: { steps: 20, batch: 32 },
  ...shared,
});
const from = (node: string) => ({ policy: { kind: 'checkpoint', checkpointId: { node } } });
const policy = {
  kind: 'new',
  architecture: { width: 16, layers: 1, heads: 2, context: 16 },
  tokenizer: { kind: 'characters' },
};
const plan = {
  name: 'small family',
  nodes: [
    { id: 'base', spec: { ...learn('mixture'), budget: { steps: 150, batch: 32 }, models: { policy } } },
    ...['reverse', 'swap'].flatMap((rule) => [
      { id: `sft-${rule}`, spec: { ...learn(rule), models: from('base') } },
      {
        id: `wise-${rule}`,
        spec: {
          ...learn(rule),
          budget: { steps: 0 },
          models: {
            policy: {
              ...from(`sft-${rule}`).policy,
              average: [{ checkpointId: { node: 'base' }, weight: 0.5 }],
            },
          },
        },
      },
    ]),
  ],
};

const workbench = new Workbench();
test.beforeAll(async () => {
  await workbench.trained({ ...learn('mixture'), name: 'earlier', models: { policy } } as never);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a plan that adapts one model to several tasks shows what each recipe loses, and what is to be expected', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByRole('button', { name: 'Open “Robustness”' })).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#/runs/plans/new';
  });
  await page.getByRole('textbox', { name: 'The plan, as JSON' }).fill(JSON.stringify(plan));
  await page.getByRole('button', { name: 'Launch the plan' }).click();
  await expect(page).toHaveURL(/#\/runs\/plans\/[\w-]{8,}/);
  await expect(page.getByText('5 of 5 nodes done')).toBeVisible({ timeout: 120_000 });

  const card = page.getByRole('region', { name: 'Robustness inheritance' });
  await expect(card.getByText('4 of 4 adaptations of “base” measured on 2 tasks')).toBeVisible();
  await expect(card.getByRole('region', { name: 'Changes by wise' }).getByRole('cell')).toHaveCount(4);
  await expect(card.getByRole('img', { name: /^Retention over gain: sft gains/ })).toBeVisible();
  await card.getByLabel('Adapt to').selectOption('task:swap');
  await card.getByRole('button', { name: 'Measure the distance' }).press('Enter');
  await expect(card.getByRole('status').last()).toHaveText(
    /“swap” is \.?\d+\s+standard\s+deviations\s+away: sft /,
    {
      timeout: 30_000,
    },
  );
  await expect(card.getByRole('region', { name: 'Distances' }).getByRole('row')).toHaveCount(3);
  await look(page, 'robustness');
  expect(complaints).toEqual([]);
});

test('a form makes a family of ticked tasks and recipes, and launches it', async ({ page }) => {
  test.setTimeout(90_000);
  const complaints = await watch(page);
  await workbench.open(page, '#/runs/plans/new');
  await page.getByRole('tab', { name: 'Robustness family' }).click();
  const form = page.getByRole('form', { name: 'New robustness family' });
  await expect(form.getByText('13 nodes, 13 runs, 960 steps.')).toBeVisible();
  await expect(form.getByLabel('Start').getByRole('option')).not.toHaveCount(1);
  await look(page, 'family-form');
  await form.getByRole('checkbox', { name: 'previous' }).uncheck();
  for (const recipe of [/^Fine-tuning/, /^Learning/, /^GRPO/])
    await form.getByRole('checkbox', { name: recipe }).uncheck();
  await form.getByRole('checkbox', { name: /^Averaged/ }).press('Space');
  await expect(form.getByText('Choose at least one recipe.')).toBeVisible();
  await form.getByRole('checkbox', { name: /^Fine-tuning/ }).press('Space');
  await form.getByLabel('Updates of the start').fill('20');
  await form.getByLabel('Updates of an adaptation').fill('2');
  await form.getByLabel('Problems of an evaluation').fill('4');
  await expect(form.getByText('3 nodes, 3 runs, 24 steps.')).toBeVisible();
  // as a file and back: nothing that was chosen is lost
  await form.getByRole('button', { name: 'Edit as JSON' }).click();
  await expect(page.getByLabel('The plan, as JSON')).toHaveValue(/"name": "Robustness family"/);
  await page.getByRole('tab', { name: 'Robustness family' }).click();
  await expect(form.getByText('3 nodes, 3 runs, 24 steps.')).toBeVisible();
  await form.getByRole('button', { name: 'Launch the plan' }).click();
  await expect(page.getByRole('heading', { name: 'Robustness family', exact: true })).toBeVisible();
  await expect(page.getByText('2 of 2 adaptations of “base” measured on 2 tasks')).toBeVisible({
    timeout: 60_000,
  });
  expect(complaints).toEqual([]);
});
