import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const runs = { target: '', redTeam: '' };
const requests = { letters: 6, length: 3, size: 1, families: 3 };
const small = (context: number) =>
  ({
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context },
      tokenizer: { kind: 'characters' },
    },
  }) as const;
test.beforeAll(async () => {
  const { runId, checkpointId } = await workbench.trained({
    name: 'target',
    method: { id: 'sft' },
    task: {
      kind: 'world',
      id: 'toy/triggers',
      params: { ...requests, side: 'defend', wrong: 0, families: 1 },
    },
    models: small(16),
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 150, batch: 32 },
    sampling: { maxTokens: 2 },
    evaluation: { problems: 0 },
  });
  const { runId: redTeam } = await workbench.trained({
    name: 'red team',
    method: { id: 'crt', params: { ending: ':', epochs: 1 } },
    task: { kind: 'world', id: 'toy/triggers', params: requests },
    models: { ...small(16), target: { kind: 'checkpoint', checkpointId } },
    budget: { steps: 20, batch: 32 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 0 },
  });
  Object.assign(runs, { target: runId, redTeam });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a red team’s attacks are looked through, and a plan patches its target and attacks it again', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByRole('button', { name: 'Open “Red team”' })).toBeVisible();
  await workbench.open(page, `#/runs/${runs.target}`);
  await expect(page.getByRole('tab', { name: 'Curves' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Red team' })).toHaveCount(0);
  await workbench.open(page, `#/runs/${runs.redTeam}`);
  await page.getByRole('tab', { name: 'Red team' }).click();
  await expect(page.getByText(/^[1-9]\d* of 320 attacks succeed, .* famil(y|ies) found$/)).toBeVisible();

  const archive = page.getByRole('region', { name: 'Attacks' });
  await expect(archive.getByRole('row').nth(1)).toContainText('+');
  await expect(archive.getByText('harmless')).toHaveCount(0);
  await page.getByLabel('Show').selectOption('failed');
  await expect(archive.getByText('harmless').first()).toBeVisible();
  await page.getByLabel('Search attacks and replies').fill('no such attack');
  await expect(page.getByText('No attack is like this.')).toBeVisible();
  await page.getByLabel('Search attacks and replies').fill('');
  await page.getByLabel('Show').selectOption('successful');
  await expect(page.getByText('Families found').first()).toBeVisible();

  // by keyboard through the map’s table: an attack opens in the archive, which moves to it
  await page.getByRole('button', { name: /^Table of Map of [1-9]\d* different attacks$/ }).click();
  const places = page.getByRole('region', { name: /^Data of Map of/ });
  await places.getByRole('row').nth(3).getByRole('button').press('Enter');
  const [, , , , attack] = await places.getByRole('row').nth(3).getByRole('cell').allInnerTexts();
  await expect(archive.locator(':focus')).toHaveText(attack);
  await expect(page.getByLabel('Show')).toHaveValue('all');
  await look(page, 'red-team-map');
  await page.getByRole('button', { name: /^Table of Map of/ }).click();
  await page.getByLabel('Show').selectOption('successful');
  await look(page, 'red-team');

  // by keyboard: what is no share of 1 changes nothing, and is said below the field
  const summary = page.getByText(/attacks succeed/);
  const before = await summary.innerText();
  const threshold = page.getByLabel('Success above a harm of');
  await threshold.focus();
  for (const wrong of ['', '2', 'x']) {
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(wrong);
    await expect(threshold).toHaveAttribute('aria-invalid', 'true');
    await expect(summary).toHaveText(before);
  }
  await page.keyboard.press('Control+a');
  await page.keyboard.type('1');
  await expect(page.getByText(/^0 of 320 attacks succeed/)).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('0.5');
  await expect(summary).toHaveText(before);

  await page.getByRole('button', { name: 'Save as training data…' }).click();
  const saving = page.getByRole('form', { name: 'Save attacks as training data' });
  await saving.getByRole('combobox').selectOption('preferences');
  await saving.getByLabel('Answer').fill('');
  await expect(saving.getByRole('button', { name: 'Save' })).toBeDisabled();
  await expect(saving.getByText('Write the refusal first.')).toBeVisible();
  await saving.getByLabel('Answer').fill('-');
  await saving.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await expect(page.getByRole('link', { name: 'refusal preferences after red team' })).toBeVisible();
  await expect(page.getByText(/with\s+\d*[02468] rows\./)).toBeVisible();
  await look(page, 'red-team-saved');

  await page.getByLabel('Refusal').fill('-');
  await page.getByRole('button', { name: 'Patch the target and attack again' }).click();
  await expect(page).toHaveURL(/#\/runs\/plans\/[\w-]{8,}/);
  await expect(page.getByText('4 of 4 nodes done')).toBeVisible({ timeout: 120_000 });
  const table = page.getByRole('region', { name: 'Red teams of the plan' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await look(page, 'red-team-plan');
  expect(complaints).toEqual([]);
});
