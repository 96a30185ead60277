import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const task = { kind: 'world', id: 'toy/steps', params: { length: 2, wrong: 0.4 } } as const;
const sampling = { maxTokens: 6 };
test.beforeAll(async () => {
  const { checkpointId } = await workbench.trained({
    name: 'speller',
    method: { id: 'sft' },
    task,
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 32 },
        tokenizer: { kind: 'bytes' },
      },
    },
    optimizer: { learningRate: 1e-2 },
    budget: { steps: 100, batch: 32 },
    sampling,
    evaluation: { problems: 2, samples: 1 },
  });
  await workbench.trained({
    name: 'judged',
    method: { id: 'tango', params: { warmup: 33, groupSize: 4 } },
    task,
    models: { policy: { kind: 'checkpoint', checkpointId } },
    optimizer: { learningRate: 5e-3 },
    budget: { steps: 90, batch: 8 },
    sampling,
    evaluation: { problems: 2, samples: 1 },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a co-trained verifier is looked at: turns, verdicts over training, judged lines', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs`);
  await page
    .getByRole('link', { name: /judged/ })
    .first()
    .click();
  await page.getByRole('tab', { name: 'Verdicts' }).click();
  await expect(page.getByRole('img', { name: /^verifier: \d+ steps in \d+ turns$/ })).toBeVisible();
  await expect(page.getByRole('img', { name: /^policy: 43 steps in 15 turns$/ })).toBeVisible();
  const matrices = page.getByRole('table', { name: /^Verdicts on answers, steps? / });
  await expect(matrices).toHaveCount(6);
  await page.getByRole('combobox', { name: 'Judged' }).selectOption('lines');
  await expect(page.getByRole('table', { name: /^Verdicts on lines, steps? / })).toHaveCount(6);

  // the first stage by keyboard; its answers follow
  const first = page.getByRole('button', { name: /^steps 1–/ });
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(first).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('heading', { name: /^Judged answers, steps 1–/ })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(6);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(page.getByRole('article')).toHaveCount(18);
  // the last stage, where the verdicts have their form
  await page
    .getByRole('button', { name: /^steps \d+–\d+$/ })
    .last()
    .click();
  await expect(page.getByRole('article')).toHaveCount(6);
  await expect(page.getByRole('article').getByText('first error').first()).toBeVisible();
  await look(page, 'verdicts');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('found');
  await expect(page.getByText('wrong, not marked')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('Home opens a sample of co-training as a plan', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.getByRole('button', { name: 'Open “Co-train”' }).click();
  await expect(page).toHaveURL(/#\/runs\/plans\/[\w-]{8,}/);
  await expect(page.getByText(/of 6 nodes done/)).toBeVisible();
  expect(complaints).toEqual([]);
});
