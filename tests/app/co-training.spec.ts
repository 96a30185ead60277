import { expect, test } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const small = {
  name: 'alone',
  method: { id: 'grpo', params: { groupSize: 4 } },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 64 },
      tokenizer: { kind: 'bytes' },
    },
  },
  task: { kind: 'world', id: 'toy/copy' },
  budget: { steps: 6, batch: 4 },
  sampling: { maxTokens: 6 },
  evaluation: { problems: 6, samples: 2 },
} satisfies RunSpecInput;

const workbench = new Workbench();
test.beforeAll(async () => {
  await workbench.trained(small);
  await workbench.start('--workspace', `${workbench.folder}/first`);
});
test.afterAll(() => workbench.remove());

test('a policy and its verifier are trained together from the form, watched by role, and compared', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs/new?method=tango&world=toy%2Fcopy`);
  const summary = page.getByRole('region', { name: 'What will run' });
  await expect(summary).toContainText('Tango');
  await openAdvanced(page);
  const set = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  for (const [label, value] of [
    ['Steps', '2'],
    ['Batch', '4'],
    ['Name of the run', 'together'],
  ])
    await set(label, value);
  await page.getByRole('textbox', { name: 'Warmup' }).first().fill('3');
  // a budget that the verifier alone would spend is refused at its field
  await expect(page.getByText(/the policy would learn from none/).first()).toBeVisible();
  await set('Steps', '900');
  // the verifier learns by settings of its own
  await page.locator('summary', { hasText: 'Verifier' }).click();
  const verifier = page.getByRole('group', { name: 'Verifier', exact: true });
  await verifier.getByLabel('Learning rate', { exact: true }).fill('0,002');
  await expect(page.getByText(/Verifier › Optimizer › Learning rate/)).toBeVisible();
  await verifier.getByLabel('Learning rate', { exact: true }).fill('0.002');
  await verifier.getByRole('button', { name: 'Add' }).click();
  await verifier.getByLabel('Scorer', { exact: true }).selectOption('length');
  await expect(summary).toContainText('adamw at 0.002; rewards: Length');
  await verifier.scrollIntoViewIfNeeded();
  await look(page, 'co-training-roles');
  await page.locator('summary', { hasText: 'Evaluation' }).click();
  await set('Problems', '6');
  await set('Samples', '2');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();

  await expect(page.getByLabel('Run name')).toHaveValue('together');
  await expect(page.getByText(/^training (policy|verifier)$/)).toBeVisible({ timeout: 60_000 });
  for (const role of ['policy', 'verifier'])
    await expect(page.getByText(`${role}/loss`).first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Resume' })).toBeVisible({ timeout: 60_000 });
  for (const role of ['policy', 'verifier'])
    await expect(page.getByRole('heading', { name: `Training: ${role}` })).toBeVisible();
  await look(page, 'co-training');

  await page.getByRole('main').getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByRole('checkbox', { name: 'alone' }).check();
  await page.getByRole('tab', { name: 'Curves' }).click();
  await expect(page.getByText('reward/mean').locator('visible=true').first()).toBeVisible();
  await look(page, 'co-training-compared');
  expect(complaints).toEqual([]);
});
