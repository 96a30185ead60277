import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, runLink, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const common = {
  task: { kind: 'world', id: 'toy/copy', params: { letters: 8, wrong: 0 } },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 20, samples: 4 },
} satisfies Partial<RunSpecInput>;
let policyId = '';
let sampledId = '';
test.beforeAll(async () => {
  const base = await workbench.trained({
    name: 'base',
    ...common,
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    optimizer: { learningRate: 0.01 },
    budget: { steps: 60, batch: 32 },
  });
  const sampled = await workbench.trained({
    name: 'sampled',
    ...common,
    method: { id: 'grpo', params: { groupSize: 8 } },
    models: { policy: { kind: 'checkpoint', checkpointId: base.checkpointId } },
    rewards: [{ id: 'verifier' }, { id: 'length' }],
    optimizer: { learningRate: 1e-3 },
    budget: { steps: 12, batch: 8 },
  });
  [policyId, sampledId] = [base.runId, sampled.runId];
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const status = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('status').filter({ hasText: text }).first()).toBeVisible();
const list = (page: Page) => page.getByRole('listbox', { name: 'Answers' });
const search = async (page: Page, query: string): Promise<void> => {
  await page.getByLabel('Search answers').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(query);
  await page.keyboard.press('Enter');
};
async function visit(page: Page, hash: string): Promise<void> {
  await workbench.open(page, hash);
}
/** The number of entries of the list, once it is counted. */
async function total(page: Page): Promise<number> {
  const text = page.getByRole('status').filter({ hasText: /^[\d,]+ (answer|different answer|prompt)s?$/ });
  await expect(text).toBeVisible();
  return Number((await text.innerText()).split(' ')[0].replaceAll(',', ''));
}

test('answers are searched, sorted, grouped and selected by keyboard alone', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await runLink(page, 'sampled').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Curves' }).focus();
  const samples = page.getByRole('tab', { name: 'Samples' });
  for (let left = await page.getByRole('tab').count(); left > 0; left -= 1) {
    if ((await samples.getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowRight');
  }
  await expect(samples).toHaveAttribute('aria-selected', 'true');
  const all = await total(page);
  expect(all).toBeGreaterThan(500);
  await look(page, 'samples');

  await page.keyboard.press('/');
  await page.keyboard.type('wrong step:2..9');
  await page.keyboard.press('Enter');
  await expect.poll(() => total(page)).toBeLessThan(all);
  await expect(page).toHaveURL(/q=wrong\+step/);
  await page.keyboard.press('ArrowDown');
  await expect(list(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('region', { name: 'Answer', exact: true })).toContainText('verifier 0');

  await search(page, 'entropy>1');
  await expect(page.getByRole('alert')).toContainText("There is no column 'entropy'.");
  await look(page, 'samples-fault');
  await search(page, 'purpose=train');
  await page.getByLabel('Sort by').focus();
  await page.getByLabel('Sort by').selectOption('verifier');
  await page.getByLabel('Disagreement with').selectOption({ label: 'disagreement with length' });
  await expect(page).toHaveURL(/sort=-verifier%7E/);
  await expect(
    list(page)
      .getByText(/rank difference/)
      .first(),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Facets' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('img', { name: /^Histogram of step/ })).toBeVisible();
  await look(page, 'samples-sorted');

  await page.reload();
  await expect(page.getByLabel('Search answers')).toHaveValue('purpose=train');
  await expect(page.getByLabel('Sort by')).toHaveValue('verifier');

  await page.getByRole('button', { name: 'By prompt' }).focus();
  await page.keyboard.press('Enter');
  await status(page, /^\d+ prompts$/);
  await list(page).focus();
  await page.keyboard.press('Enter');
  await status(page, /different answer/);
  const copies = list(page).getByText(/^×\d+$/);
  await expect(copies.first()).toBeVisible();
  await look(page, 'samples-prompt');
  await page.keyboard.press('Backspace');
  await status(page, /^\d+ prompts$/);

  await page.getByRole('button', { name: 'All answers' }).focus();
  await page.keyboard.press('Enter');
  await expect(list(page).getByRole('option').first()).toBeVisible();
  await list(page).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await status(page, '3 selected');
  await page.getByRole('button', { name: 'Save as dataset…' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Name of the dataset')).toBeVisible();
  await page.getByLabel('Name of the dataset').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('three answers');
  await page.keyboard.press('Enter');
  await status(page, 'Saved three answers with 3 answers');
  await look(page, 'samples-saved');
  await page.getByRole('button', { name: 'Close' }).click();

  await list(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await status(page, 'All matching selected');
  await page.getByRole('button', { name: 'Label…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name of the dataset').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/label\?dataset=/);
  await expect(page.getByRole('heading', { name: 'New set' })).toBeVisible();
  expect(complaints).toEqual([]);
});

test('tokens of an answer are tinted by a checkpoint, and another run is shown too', async ({ page }) => {
  const complaints = await watch(page);
  await page.setViewportSize({ width: 1000, height: 700 });
  await visit(page, `#/runs/${sampledId}/samples?q=right`);
  await page.getByRole('button', { name: 'Show tokens by probability' }).click();
  await expect(page.getByLabel('Tokens of the answer').locator('.token').first()).toBeVisible({
    timeout: 30_000,
  });
  await page.getByLabel('Tokens by').selectOption('entropy');
  await page.getByLabel('Tokens of the answer').scrollIntoViewIfNeeded();
  await look(page, 'samples-tokens');
  const alone = await total(page);
  await page.getByLabel('Show another run too').selectOption({ label: 'base' });
  await expect.poll(() => total(page)).toBeGreaterThan(alone);
  await expect(page).toHaveURL(new RegExp(`runs=${policyId}`));
  await look(page, 'samples-two-runs');
  await page.getByRole('button', { name: 'Hide the answers of base' }).click();
  await expect.poll(() => total(page)).toBe(alone);
  expect(complaints).toEqual([]);
});

test('a search without a match, and a run without answers, say so', async ({ page }) => {
  const complaints = await watch(page);
  await visit(page, `#/runs/${sampledId}/samples?q=nowhere`);
  await expect(page.getByText('No matching answer.')).toBeVisible();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(list(page).getByRole('option').first()).toBeVisible();
  expect(complaints).toEqual([]);
});
