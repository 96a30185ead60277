import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const small = {
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
  sampling: { maxTokens: 6 },
  evaluation: { problems: 10, samples: 2 },
};
const plan = {
  name: 'taught',
  summary: 'A policy, and one that learns from its answers.',
  nodes: [
    { id: 'base', spec: small },
    {
      id: 'next',
      spec: {
        ...small,
        models: { policy: { kind: 'checkpoint', checkpointId: { node: 'base' } } },
        task: {
          kind: 'run',
          answers: 'base',
          purpose: 'evaluation',
          operators: [{ id: 'filter', params: { least: -1 } }],
        },
        evaluation: { ...small.evaluation, world: { id: 'toy/copy' } },
      },
    },
  ],
};

const workbench = new Workbench();
test.beforeAll(async () => {
  await workbench.trained({ ...small, name: 'earlier' } as never);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a plan is written, checked, launched, watched and compared', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#/runs';
  });
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('link', { name: 'New plan…' }).click();
  const text = page.getByRole('textbox', { name: 'The plan, as JSON' });
  await text.fill('{ "nodes": [');
  await expect(page.getByRole('alert').getByText(/not JSON/)).toBeVisible();
  const bad = structuredClone(plan);
  bad.nodes[1].spec.task = { kind: 'run', answers: 'first', operators: [] } as never;
  await text.fill(JSON.stringify(bad));
  await expect(page.getByRole('alert').getByText('nodes.1.spec.task.answers')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Launch the plan' })).toBeDisabled();

  await page.locator('input[type=file]').setInputFiles({
    name: 'plan.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(plan, null, 1)),
  });
  await expect(page.getByText('3 nodes, 2 runs, 12 steps.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Nodes of the plan' }).getByRole('row')).toHaveCount(4);
  await look(page, 'plan-new');
  await page.getByRole('button', { name: 'Launch the plan' }).click();

  await expect(page).toHaveURL(/#\/runs\/plans\/[\w-]{8,}/);
  await expect(page.getByRole('heading', { name: 'taught' })).toBeVisible();
  const nodes = page.getByRole('region', { name: 'Nodes' });
  await expect(nodes.getByRole('row')).toHaveCount(4);
  await expect(page.getByText('3 of 3 nodes done')).toBeVisible({ timeout: 60_000 });
  await expect(nodes.getByText('pass@1')).toHaveCount(2);
  await expect(nodes.getByText('20 rows')).toBeVisible();
  await look(page, 'plan');

  await page.getByRole('main').getByRole('link', { name: 'Compare', exact: true }).click();
  await expect(page).toHaveURL(/#\/compare\?.*runs=[\w-]+(,|%2C)[\w-]+/);
  await page.evaluate(() => {
    location.hash = '#/runs/plans';
  });
  await page.getByRole('link', { name: 'taught' }).click();
  await nodes.getByRole('link', { name: 'next', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'next' })).toBeVisible();

  await page.evaluate((file) => {
    location.hash = '#/runs/plans/new';
    return file;
  }, '');
  await page.getByRole('textbox', { name: 'The plan, as JSON' }).fill(JSON.stringify(plan));
  await expect(page.getByText('It was launched before')).toBeVisible();
  await page.getByRole('button', { name: 'Continue the plan' }).click();
  await expect(page.getByText('3 of 3 nodes done')).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#/runs/plans';
  });
  await look(page, 'plans');
  expect(complaints).toEqual([]);
});
