import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { dataFile } from '../support/data-file.ts';
import { importPath, look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

const set = (page: Page, label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);

/** Imports questions with reference answers, and launches GRPO on them with the defaults of the form. */
async function walk(page: Page, name: string, lines: readonly string[]): Promise<void> {
  const path = join(workbench.folder, `${name}.jsonl`);
  writeFileSync(path, lines.join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await expect(
    page.getByRole('row', { name: new RegExp(`^With a reference .*: ${lines.length} match/numeric`) }),
  ).toBeVisible();

  await page.getByRole('link', { name: 'Train by GRPO' }).click();
  await openAdvanced(page);
  await expect(page.getByRole('radio', { name: /Group Relative/ })).toBeChecked();
  await expect(page.getByLabel('Learn from', { exact: true })).toHaveValue('dataset');
  await expect(page.getByLabel('Dataset', { exact: true }).locator('option:checked')).toHaveText(
    new RegExp(`^${name} `),
  );
  await expect(page.getByLabel('Scorer', { exact: true })).toHaveValue('match/numeric');
  for (const [label, value] of [
    ['Group size', '4'],
    ['Width', '16'],
    ['Layers', '1'],
    ['Heads', '2'],
    ['Context', '192'],
    ['Steps', '2'],
    ['Batch', '2'],
    ['Name of the run', name],
  ])
    await set(page, label, value);
  for (const [title, ...fields] of [
    ['Sampling', 'Max tokens'],
    ['Evaluation', 'Problems', 'Samples'],
  ]) {
    await page.locator('summary', { hasText: title }).click();
    for (const field of fields) await set(page, field, field === 'Max tokens' ? '12' : '2');
  }
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByLabel('Run name')).toHaveValue(name);
  await expect(page.getByRole('main').locator('.state.done')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('tab', { name: 'Results' }).click();
  await expect(page.getByRole('columnheader', { name: 'pass@1' })).toBeVisible();
  await page.getByRole('tab', { name: 'Samples' }).click();
  // four answers to two prompts in two steps, and two to each of two held-out prompts
  await expect(page.getByText('20 answers')).toBeVisible();
  await page.getByLabel('Search answers').fill('has:match/numeric "match/numeric":0..1');
  await page.getByLabel('Search answers').press('Enter');
  await expect(page.getByText('20 answers')).toBeVisible();
  await expect(
    page.getByRole('complementary', { name: 'Facts' }).getByRole('link', { name, exact: true }),
  ).toBeVisible();
}

test('trains on imported questions with answers: suggested verifier, GRPO, pass@k on held-out prompts', async ({
  page,
}) => {
  const complaints = await watch(page);
  await walk(
    page,
    'pears',
    Array.from({ length: 30 }, (_, i) =>
      JSON.stringify({
        question: `Ann has ${i} pears and picks ${i + 2}. How many has she?`,
        answer: `${i} + ${i + 2} = ${2 * i + 2}\n#### ${2 * i + 2}`,
      }),
    ),
  );
  await look(page, 'own-task');
  expect(complaints).toEqual([]);
});

test('trains on questions of GSM8K in the same way', async ({ page }) => {
  const { path, missing } = dataFile('gsm8k-train-3000.jsonl');
  test.skip(missing !== null, missing ?? '');
  // only short questions, since the byte-level model has a small context
  await walk(
    page,
    'gsm8k',
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => (JSON.parse(line) as { question: string }).question.length < 140)
      .slice(0, 60),
  );
});
