import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let plan = '';
let answering = '';
test.beforeAll(async () => {
  test.setTimeout(600_000);
  const { runId } = await workbench.trained({
    name: 'directions',
    method: { id: 'rle-language', params: { groupSize: 4 } },
    task: { kind: 'world', id: 'toy/sums', params: { digits: 2 } },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 16 },
        tokenizer: { kind: 'characters' },
      },
    },
    rewards: [{ id: 'verifier' }],
    budget: { steps: 4, batch: 4 },
    sampling: { maxTokens: 3 },
    evaluation: { problems: 8, samples: 8, every: 2 },
  });
  answering = `#/runs/${runId}/results`;
  plan = await workbench.startWithPlan('explore', 0.5);
});
test.afterAll(() => workbench.remove());

test('maps of explored rooms tell ways to explore apart', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, plan);
  await expect(page.getByText('4 of 4 nodes done')).toBeVisible();
  const nodes = page.getByRole('region', { name: 'Nodes' });
  await expect(nodes.getByRole('row', { name: /^random-latents/ })).toContainText(/return 0, visited \.\d+/);
  await look(page, 'explore-plan');

  const panel = page.getByRole('region', { name: 'Exploration', exact: true });
  const words = panel.getByRole('status');
  const map = panel.getByRole('img', { name: /^Visits of cells/ });
  /** Percent of the cells that a run has visited in training. */
  const visited = async (run: string): Promise<number> => {
    await workbench.open(page, plan);
    await page.getByRole('link', { name: run, exact: true }).first().click();
    await page.getByRole('tab', { name: 'Curves' }).focus();
    await page.getByRole('tab', { name: 'Results' }).click();
    await expect(words).toContainText(/Training so far visited \d+ % of 2,504 cells/);
    return Number(/visited (\d+) %/.exec((await words.textContent()) ?? '')?.[1]);
  };

  const alone = await visited('entropy-alone');
  const distilled = await visited('distillation');
  await expect(panel.getByRole('img', { name: /^Which latents/ })).toBeHidden();
  await look(page, 'explore-distillation');
  const random = await visited('random-latents');
  expect(random).toBeGreaterThan(alone);
  expect(random).toBeGreaterThan(distilled);
  await expect(words).toContainText(/r = −?\.\d\d, p = \.\d+/);
  await expect(map).toHaveAttribute('aria-label', /of 2,504 cells have visits, at most [\d,]+; 16 paths$/);
  await look(page, 'explore-map');

  // a path by keyboard, then all of them again
  const choice = panel.getByRole('combobox', { name: 'Show' });
  await choice.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(map).toHaveAttribute('aria-label', /; Episode 2, return 0, ends at column \d+, row \d+$/);
  await look(page, 'explore-path');
  await page.keyboard.press('End');
  await expect(map).toHaveAttribute('aria-label', /; 0 paths$/);
  await page.keyboard.press('Home');
  await expect(map).toHaveAttribute('aria-label', /16 paths$/);

  // fewer cells have visits of the evaluation alone
  const source = panel.getByRole('combobox', { name: /Visits of/ });
  await source.focus();
  await page.keyboard.press('End');
  await expect(words).toContainText('The episodes of the evaluation visited');
  await page.keyboard.press('Home');
  await expect(words).toContainText('Training so far');
  await panel.getByRole('checkbox', { name: 'Log scale' }).focus();
  await page.keyboard.press('Space');
  await expect(panel.getByRole('checkbox', { name: 'Log scale' })).not.toBeChecked();

  const latents = panel.getByRole('img', { name: /^Which latents succeed: 64 episodes/ });
  await expect(latents).toHaveAttribute('aria-label', /from [\d.]+ to [\d.]+ cells from the start/);
  await panel.getByRole('button', { name: 'Table of Which latents succeed' }).focus();
  await page.keyboard.press('Enter');
  const table = panel.getByRole('region', { name: 'Data of Which latents succeed' });
  await expect(table.getByRole('columnheader', { name: 'direction (°)' })).toBeVisible();
  await expect(table.getByRole('row')).toHaveCount(65);
  await table.getByRole('button', { name: '5', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(map).toHaveAttribute('aria-label', /; Episode 5,/);
  await table.scrollIntoViewIfNeeded();
  await look(page, 'explore-latents');

  await page.setViewportSize({ width: 1000, height: 700 });
  await words.scrollIntoViewIfNeeded();
  await look(page, 'explore-narrow');
  expect(complaints).toEqual([]);
});

test('answers to a problem stand with the directions that led there', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, answering);
  const panel = page.getByRole('region', { name: 'Directions of answers' });
  await expect(panel.getByRole('status')).toContainText('64 answers to 8 problems');
  await expect(panel.getByRole('img', { name: /^Which latents succeed: 64 answers/ })).toBeVisible();
  const answers = panel.getByRole('list', { name: 'Different answers' });
  const marks = answers.getByRole('button', { name: /^Answer \d+, direction \d+°$/ });
  await expect(marks).toHaveCount(8);
  await marks.first().focus();
  await page.keyboard.press('Enter');
  await expect(marks.first()).toHaveAttribute('aria-pressed', 'true');
  await look(page, 'explore-answers');
  await panel.getByRole('combobox', { name: 'Problem' }).focus();
  await page.keyboard.press('End');
  await expect(answers.getByRole('button', { name: /^Answer 64,/ })).toBeVisible();
  await expect(answers.locator('[aria-pressed="true"]')).toHaveCount(0);
  expect(complaints).toEqual([]);
});
