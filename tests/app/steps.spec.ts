import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { smallJudge } from '../support/small-judge.ts';
import { lookAtSizes, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let judgeId = '';

test.beforeAll(async () => {
  const path = join(workbench.folder, 'questions.jsonl');
  const lines = Array.from({ length: 160 }, (_none, i) =>
    JSON.stringify({
      prompt: `Which is ${i >> 1}?`,
      answer:
        i % 2 === 0 ? `Count to ${i >> 1}.\n\nIt is ${i >> 1}.` : `No idea.\n\nIt is ${'x'.repeat(i % 9)}.`,
      correct: i % 2 === 0,
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  await workbench.command('import', path);
  const [{ id: datasetId }] = await workbench.answer<{ id: string }[]>('datasets', 'list');
  const { runId } = await workbench.trained({
    ...smallJudge('judge', datasetId),
    budget: { steps: 30, batch: 16 },
  });
  judgeId = runId;
  const solutions = Array.from({ length: 60 }, (_none, i) =>
    JSON.stringify({
      id: `gsm8k-${i}`,
      problem: `Which is ${i}?`,
      steps: [`Count to ${i}.`, i % 2 === 0 ? 'No idea.' : 'Then stop.', `It is ${i}.`],
      label: i % 2 === 0 ? 1 : -1,
    }),
  );
  writeFileSync(join(workbench.folder, 'solutions.jsonl'), solutions.join('\n'));
  await workbench.command('suite', judgeId, join(workbench.folder, 'solutions.jsonl'));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('an item of a report opens with the scores of its steps, its label and the judge’s first wrong step', async ({
  page,
}) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/suites`);
  await page
    .getByRole('region', { name: 'Reports' })
    .getByRole('link', { name: 'ProcessBench' })
    .press('Enter');
  const items = page.getByRole('region', { name: 'Items', exact: true });
  await expect(items.getByRole('row')).toHaveCount(21);
  await page.getByRole('button', { name: 'Show more of 60 items' }).press('Enter');
  await expect(items.getByRole('row')).toHaveCount(61);
  await items.scrollIntoViewIfNeeded();
  await lookAtSizes(page, 'steps-items');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('not measured');
  await expect(items.getByRole('row')).toHaveCount(21);

  await items.getByRole('link', { name: 'gsm8k-0', exact: true }).press('Enter');
  await expect(page).toHaveURL(/inside\?report=[^&]+&item=0&view=steps/);
  const scores = page.getByRole('region', { name: 'Scores of the answer’s steps' });
  const [judged, labeled] = [
    scores.getByRole('status').getByText(/by the judge/),
    scores.getByText(/By|by “sol/),
  ];
  await expect(judged).toContainText('of this judge’s report of ProcessBench');
  await expect(labeled).toContainText('First wrong step by “solutions.jsonl”: step 2');
  const steps = scores.getByRole('listbox', { name: 'Steps' });
  await expect(steps.getByRole('option')).toHaveCount(3);
  await expect(steps.getByRole('option').nth(1)).toContainText('label');
  await steps.focus();
  await page.keyboard.press('End');
  await expect(page).toHaveURL(/&step=3/);
  await page.keyboard.press('ArrowUp');
  await expect(steps.getByRole('option', { selected: true })).toContainText('No idea.');
  await expect(page).toHaveURL(/&step=2/);
  await lookAtSizes(page, 'steps-item');

  const link = new URL(page.url()).hash;
  await page.goto('about:blank');
  await workbench.open(page, link);
  await expect(steps.getByRole('option', { selected: true })).toContainText('No idea.');
  expect(complaints).toEqual([]);
});

test('an answer of a pair is seen by its parts or its steps, and a threshold can be entered', async ({
  page,
}) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/inside?pair=0&side=rejected`);
  await expect(page.getByRole('listbox', { name: 'Answer by credit, prefix by prefix' })).toBeVisible();
  await page.getByRole('combobox', { name: 'View' }).selectOption('scores of steps');
  await expect(page).toHaveURL(/pair=0&side=rejected&view=steps/);
  const steps = page.getByRole('listbox', { name: 'Steps' });
  await expect(steps.getByRole('option')).toHaveCount(2);
  await page.getByRole('textbox', { name: 'Threshold' }).fill('1000');
  await page.keyboard.press('Enter');
  await expect(
    page.getByText('First wrong step by the judge: step 1. Threshold 1,000, as chosen.'),
  ).toBeVisible();
  await page.getByRole('textbox', { name: 'Threshold' }).fill('much');
  await expect(page.getByRole('button', { name: 'Look inside' })).toBeDisabled();
  await page.getByRole('textbox', { name: 'Threshold' }).fill('');
  await page.getByRole('textbox', { name: 'Answer' }).fill('');
  await page.getByRole('button', { name: 'Look inside' }).press('Enter');
  await expect(page.getByText('An empty answer has no steps.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Answer' }).fill('One step only');
  await page.getByRole('button', { name: 'Look inside' }).press('Enter');
  await expect(steps.getByRole('option')).toHaveCount(1);
  await lookAtSizes(page, 'steps-one');
  await page.getByRole('combobox', { name: 'View' }).selectOption('credit of parts');
  await expect(page.getByRole('listbox', { name: 'Answer by credit, prefix by prefix' })).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a dataset of the workspace is a gold set, chosen by name', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/suites`);
  const from = page.getByRole('combobox', { name: 'Items from' });
  await expect(page.getByRole('button', { name: 'Run the suite' })).toBeDisabled();
  await from.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByLabel('File', { exact: true })).toBeHidden();
  await page.getByRole('button', { name: 'Run the suite' }).press('Enter');
  const report = page.getByRole('region', { name: 'Report', exact: true });
  await expect(report.getByRole('heading', { name: 'Gold set: judge' })).toBeVisible();
  await expect(report).toContainText('80 items of questions (dataset, as imported)');
  await lookAtSizes(page, 'steps-gold');
  await from.selectOption('a file');
  await expect(page.getByLabel('File', { exact: true })).toBeVisible();
  expect(complaints).toEqual([]);
});
