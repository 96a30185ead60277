import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const prompts = 120;
const workbench = new Workbench();
let judgeId = '';
const lastLine = <T>(told: string): T => JSON.parse(told.trim().split('\n').at(-1) ?? '') as T;

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
  const [{ id: datasetId }] = lastLine<{ id: string }[]>(
    await workbench.command('datasets', 'list', '--json'),
  );
  const spec: RunSpecInput = {
    name: 'judge',
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'dataset', datasetId, heldout: 0.5 },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 64 },
        tokenizer: { kind: 'bytes' },
      },
    },
    budget: { steps: 12, batch: 16 },
  };
  writeFileSync(join(workbench.folder, 'judge.json'), JSON.stringify(spec));
  const told = await workbench.command('run', join(workbench.folder, 'judge.json'), '--anyway', '--json');
  judgeId = lastLine<{ run: { id: string } }>(told).run.id;
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Opens a place of the reward model; the address is that of a link opened in a new tab. */
async function opened(page: Page, place: string): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/rewards/${judgeId}/${place}`);
  await expect(page.getByRole('heading', { name: 'judge' })).toBeVisible();
}

/** Takes pictures in the sizes of small and common screens. */
async function looked(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [1000, 700],
    [1280, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `${name}-${width}`);
  }
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
  await expect(page.getByRole('status').filter({ hasText: /agrees with deletion: ρ = [-−]?[01]?\.\d+, n = \d+/ })).toBeVisible();
  await map.focus();
  await page.keyboard.press('ArrowRight');
  await expect(map.getByRole('option', { selected: true })).toHaveText('o');
  await expect(page.getByText(/^Part 2: "o": credit [+-−]/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Parts' }).getByRole('row').nth(2)).toContainText('"o"');
  await looked(page, 'inside-answer');

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
  await expect(page.getByText(/the model reads 64/)).toBeVisible();
  expect(complaints).toEqual([]);
});
