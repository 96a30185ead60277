import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(async () => {
  const path = join(workbench.folder, 'words.jsonl');
  const rows = ['ab', 'ba', 'aa', 'bb', 'abb'].map((word) => ({ prompt: `${word}:`, answer: word }));
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await workbench.command('import', path);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a dataset is measured in addition to the run’s own task: added on the form, and shown with the run', async ({
  page,
}) => {
  const complaints = await watch(page);
  await workbench.open(page, '#/runs/new?method=sft&world=toy%2Fcopy');
  await openAdvanced(page);
  const set = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  for (const [label, value] of [
    ['Width', '16'],
    ['Layers', '1'],
    ['Heads', '2'],
    ['Steps', '2'],
    ['Batch', '4'],
    ['Name of the run', 'measured'],
  ])
    await set(label, value);
  await page.locator('summary', { hasText: 'Evaluation' }).click();
  await set('Problems', '0');
  const evaluations = page.getByRole('group', { name: 'Evaluations', exact: true });
  await evaluations.getByRole('button', { name: 'Add' }).click();
  await evaluations.getByLabel('Name', { exact: true }).fill('words');
  const dataset = evaluations.getByLabel('Dataset', { exact: true });
  await dataset.selectOption({ label: 'words (5 rows)' });
  await evaluations.getByLabel('Measure', { exact: true }).selectOption('likelihood');
  const summary = page.getByRole('region', { name: 'What will run' });
  await expect(summary).toContainText('words: likelihood on words (5 rows)');
  await evaluations.scrollIntoViewIfNeeded();
  await look(page, 'evaluations-form');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByLabel('Run name')).toHaveValue('measured');
  await expect(page.getByRole('main').locator('.state.done')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('tab', { name: 'Curves' }).click();
  await expect(page.getByText('eval/words/perplexity')).toBeVisible();
  expect(complaints).toEqual([]);
});
