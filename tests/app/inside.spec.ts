import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { smallJudge } from '../support/small-judge.ts';
import { lookAtSizes, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const prompts = 120;
const workbench = new Workbench();
let judgeId = '';

test.beforeAll(async () => {
  const path = join(workbench.folder, 'questions.jsonl');
  const lines = Array.from({ length: 2 * prompts }, (_none, i) =>
    JSON.stringify({
      prompt: `Which is ${i >> 1}?`,
      answer: i % 2 === 0 ? `It is ${i >> 1}, as asked.` : `No idea ${'x'.repeat(i % 9)}`,
      correct: i % 2 === 0,
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  await workbench.command('import', path);
  const [{ id }] = await workbench.answer<{ id: string }[]>('datasets', 'list');
  ({ runId: judgeId } = await workbench.trained(smallJudge('judge', id)));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Opens a place of the reward model; the address is that of a link opened in a new tab. */
async function opened(page: Page, place: string): Promise<void> {
  await workbench.open(page, `#/rewards/${judgeId}/${place}`);
  await expect(page.getByRole('heading', { name: 'judge' })).toBeVisible();
}

test('an answer of a pair is shown by the credit of its parts, with the check by deletion', async ({
  page,
}) => {
  const complaints = await watch(page);
  await opened(page, 'pairs?pair=0');
  await page.getByRole('link', { name: 'Inside the rejected answer' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/inside\?pair=0&side=rejected/);
  const map = page.getByRole('listbox', { name: 'Answer by credit, prefix by prefix' });
  await expect(map).toContainText('No idea');
  await expect(
    page.getByRole('status').filter({ hasText: /agrees with deletion: ρ = [-−]?[01]?\.\d+, n = \d+/ }),
  ).toBeVisible();
  await map.focus();
  await page.keyboard.press('ArrowRight');
  await expect(map.getByRole('option', { selected: true })).toHaveText('o');
  await expect(page.getByText(/^Part 2: "o": credit [+-−]/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Parts' }).getByRole('row').nth(2)).toContainText('"o"');
  await lookAtSizes(page, 'inside-answer');

  await page.getByRole('textbox', { name: 'Answer' }).fill('It is 7. Really, it is seven.');
  await page.getByRole('combobox', { name: 'Parts' }).selectOption('sentences');
  await page.getByRole('button', { name: 'Look inside' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 parts (sentences)')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'cannot be compared' })).toBeVisible();
  await page.getByLabel('Colour by').selectOption('deletion');
  await expect(page.getByRole('listbox', { name: 'Answer by effect of deletion' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Answer' }).fill('x'.repeat(200));
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Look inside' }).click();
  await expect(page.getByText(/the model reads 96/)).toBeVisible();
  expect(complaints).toEqual([]);
});

test('own pairs are run as a suite, whose report is read, compared and removed', async ({ page }) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'gold.jsonl');
  const pairs = Array.from({ length: 12 }, (_none, i) =>
    JSON.stringify({
      prompt: `Which is ${i}?`,
      chosen: `It is ${i}.`,
      rejected: `No idea ${i}`,
      topic: ['law', 'art'][i % 2],
    }),
  );
  writeFileSync(path, pairs.join('\n'));
  await opened(page, 'suites');
  await expect(page.getByText('No suite has been run yet.')).toBeVisible();
  await page.getByLabel('File', { exact: true }).fill(path);
  await page.getByLabel('Slice column').fill('nothing');
  await page.keyboard.press('Enter');
  await expect(page.getByText("The column 'nothing'")).toBeVisible();
  await page.getByLabel('Slice column').fill('topic');
  for (let run = 1; run <= 2; run += 1) {
    await page.getByRole('button', { name: 'Run the suite' }).click();
    await expect(page.getByRole('region', { name: 'Reports' }).getByRole('row')).toHaveCount(run + 1);
  }
  const report = page.getByRole('region', { name: 'Report', exact: true });
  await expect(report.getByRole('heading', { name: 'Gold set: judge' })).toBeVisible();
  const scores = report.getByRole('region', { name: 'Scores' });
  await expect(scores.getByRole('row')).toHaveCount(4);
  await expect(scores.getByRole('row').nth(2)).toContainText('law');
  await report.getByLabel('Compare with').selectOption({ index: 1 });
  await expect(report.getByRole('status')).toContainText('On 12 shared items');
  await lookAtSizes(page, 'inside-suite');
  const download = page.waitForEvent('download');
  await report.getByRole('button', { name: 'Save as JSON' }).click();
  expect((await download).suggestedFilename()).toBe('gold judge.json');
  await report.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('region', { name: 'Reports' }).getByRole('row')).toHaveCount(2);
  await expect(report).toBeHidden();
  expect(complaints).toEqual([]);
});

test('a report of probes is kept, and a run can demand that its judge passes them', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page, 'probes');
  await page.getByLabel('Answers', { exact: true }).fill('8');
  await page.getByRole('button', { name: 'Probe the judge' }).click();
  await expect(page.getByRole('region', { name: 'Probes' })).toBeVisible();
  await opened(page, 'slices');
  await page.getByRole('tab', { name: 'Probes' }).click();
  await expect(page.getByRole('status').filter({ hasText: /^Stored / })).toBeVisible();

  await page.getByRole('link', { name: 'Use it as a reward' }).click();
  await page.getByText('Demands on the judge').click();
  const accuracy = page.getByLabel('Accuracy', { exact: true });
  await expect(accuracy).toBeVisible();
  await accuracy.scrollIntoViewIfNeeded();
  await lookAtSizes(page, 'inside-demand');
  await accuracy.fill('1');
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByText(/has an accuracy of .* the run demands 1/).first()).toBeVisible();
  expect(complaints).toEqual([]);
});
