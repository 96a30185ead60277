import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { evaluatedAlong } from '../../main/commands/recommended.ts';
import * as demo from '../../main/demo/plan.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

/** Presses Launch with the form unchanged, and reads the stored configuration of the new run. */
async function launched(page: Page): Promise<Record<string, unknown>> {
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.getByRole('tab', { name: 'Configuration' }).click({ timeout: 60_000 });
  return JSON.parse(await page.locator('pre').innerText()) as Record<string, unknown>;
}

/** What a button launches: the demo's run without its name, evaluated along the way where that is cheap. */
const asRecommended = (spec: RunSpecInput): Record<string, unknown> => ({
  ...evaluatedAlong(spec),
  name: '',
});

test('the recommended buttons launch the recommended runs: a base policy in a fresh workspace, then GRPO from it', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await atHome(page);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByRole('link', { name: 'Train a base policy' }).click();
  await openAdvanced(page);
  await expect(page.getByRole('radio', { name: /Supervised fine-tuning/ })).toBeChecked();
  await expect(page.getByLabel('Largest operand')).toHaveValue('9');
  await expect(page.getByText('changed', { exact: false })).toHaveCount(0);
  await look(page, 'first-base');
  expect(await launched(page)).toEqual(asRecommended(demo.base(0)));

  // stopping saves a checkpoint; the next step needs a policy, not a good one
  await expect(page.locator('.facts').getByText(/^[1-9]\d* \/ 2,400$/)).toBeVisible({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
  const start = page.getByRole('link', { name: 'Start a run from it' }).first();
  await start.click({ timeout: 120_000 });
  await expect(page.getByRole('radio', { name: /Group Relative/ })).toBeChecked();
  await look(page, 'first-grpo');
  const spec = await launched(page);
  const { checkpointId } = (spec.models as { policy: { checkpointId: string } }).policy;
  const verifier = { id: 'verifier', weight: 1, params: {} };
  expect(spec).toEqual(asRecommended(demo.grpo('', checkpointId, [verifier], 0, { evaluationRewards: [] })));
  await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
  expect(complaints).toEqual([]);
});
