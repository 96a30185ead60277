import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let ids: string[] = [];
test.beforeAll(async () => {
  ids = await workbench.varied(
    {
      name: 'grid',
      method: { id: 'sft' },
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 32, layers: 1, heads: 2, context: 32 },
          tokenizer: { kind: 'characters' },
        },
      },
      task: { kind: 'world', id: 'toy/copy', params: { letters: 8, wrong: 0 } },
      optimizer: { learningRate: 0.01, schedule: 'cosine' },
      budget: { steps: 100, batch: 32 },
      sampling: { maxTokens: 6 },
      evaluation: { problems: 20, samples: 4 },
    },
    'optimizer.learningRate=0.0001, 0.003, 0.01',
    'budget.batch=4, 16',
  );
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

async function opened(page: Page, query = ''): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.evaluate(
    ([runs, more]) => {
      location.hash = `#/compare?runs=${runs}&tab=explore${more}`;
    },
    [ids.join(','), query],
  );
  await expect(page.locator('.parcoords').first()).toBeVisible();
}

test('parameters and results of runs are explored, and every picture leads to its runs', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  await expect(page.getByRole('heading', { name: /Importance for pass@1/ })).toBeVisible();
  await expect(page.getByRole('rowheader', { name: 'learningRate' })).toBeVisible();
  await look(page, 'explore');

  await page.getByRole('combobox', { name: 'x' }).selectOption({ label: 'pass@1' });
  await page.getByRole('combobox', { name: 'y' }).selectOption({ label: 'length' });
  await expect(page.getByText(/of 5 runs are on the Pareto front \(high pass@1, low length\)/)).toBeVisible();
  await expect(page).toHaveURL(/x=result%3Aevaluation%3Apass%401/);

  await page.getByRole('combobox', { name: 'x' }).selectOption({ label: 'learningRate' });
  await page.getByRole('combobox', { name: 'y' }).selectOption({ label: 'batch' });
  await page.getByLabel('colour').selectOption({ label: 'pass@1' });
  await expect(page.getByText('Mean pass@1 of the runs in each cell.')).toBeVisible();
  await look(page, 'explore-cells');

  await page.getByRole('combobox', { name: 'y' }).selectOption({ label: 'pass@1' });
  await page.getByRole('button', { name: 'Table of pass@1 over learningRate' }).focus();
  await page.keyboard.press('Enter');
  const doors = page.getByRole('button', { name: /^grid/ });
  await expect(doors).toHaveCount(5);
  await doors.first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/runs\//);
  expect(complaints).toEqual([]);
});

test('a brush chooses runs, and pictures are saved with their titles', async ({ page }) => {
  await opened(page);
  const axis = page.locator('.parcoords .axis-brush .background').first();
  const box = await axis.boundingBox();
  if (!box) throw new Error('The first axis is not drawn.');
  // the middle of the axis of the learning rate, with one of its three values
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.1, { steps: 8 });
  await page.mouse.up();
  await expect(page.getByText('1 of 5 runs: grid (learning rate 0.003)')).toBeVisible();

  for (const [name, kind] of [
    ['Picture as PNG, 4 ×', 'png'],
    ['Picture as SVG', 'svg'],
    ['Data as CSV', 'csv'],
  ]) {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Save pass@1 over/ }).click();
    await page.getByRole('menuitem', { name }).click();
    const bytes = await readFile(await (await saved).path());
    const text = bytes.toString('latin1');
    if (kind === 'png') expect(text.slice(1, 4)).toBe('PNG');
    else if (kind === 'svg') expect(bytes.toString('utf8')).toContain('pass@1 over');
    else expect(bytes.toString('utf8').trim().split('\n')).toHaveLength(6);
  }

  await page.getByRole('button', { name: 'Compare only these' }).click();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1);
});
