import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const small: RunSpecInput = {
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 32 },
      tokenizer: { kind: 'characters' },
    },
  },
  budget: { steps: 20, batch: 8 },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 20, samples: 2 },
};

const sized = async (page: Page, name: string): Promise<void> => {
  for (const [width, height] of [
    [1440, 900],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `${name}-${width}`);
    const overflow = await page.evaluate(() => {
      const main = document.querySelector('main');
      return main ? main.scrollWidth - main.clientWidth : 0;
    });
    expect(overflow, `${name} does not scroll sideways at ${width} px`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
};
/** Opens the palette, types, and waits for the first entry. */
async function palette(page: Page, text: string, entry: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill(text);
  await expect(page.getByRole('option', { name: entry }).first()).toBeVisible();
}
const loopLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'The training loop' }).getByRole('link', { name });

test.describe('from nothing', () => {
  const workbench = new Workbench();
  test.beforeAll(() => workbench.start());
  test.afterAll(() => workbench.remove());

  test('Welcome offers a folder and the demo, which Home shows as it goes, and stops', async ({
    page,
    context,
  }) => {
    const complaints = await watch(page);
    await page.goto(workbench.url);
    await expect(page.getByText(/^Whetstone is a workbench for post-training/)).toBeVisible();
    const folder = page.getByLabel('New folder');
    await expect(folder).toHaveValue(/[\\/]Whetstone[\\/](first|workspace-\d+)$/);
    await sized(page, 'welcome-first');
    await folder.fill(join(workbench.folder, 'first'));
    await page.getByRole('button', { name: 'Create and run the demo' }).click();

    const demo = page.getByRole('region', { name: 'Demo' });
    await expect(demo).toContainText('Stage 1 of 9: base');
    await expect(demo).toContainText(/about .+ left/, { timeout: 120_000 });
    await expect(page.getByRole('heading', { name: 'Running now' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Next step' })).toHaveCount(0);
    await sized(page, 'home-demo');

    const second = await context.newPage();
    await second.goto(workbench.url);
    await expect(second.getByRole('region', { name: 'Demo' })).toContainText('Stage 1 of 9: base');
    await second.close();

    await palette(page, 'stop', 'Stop the demo');
    await page.keyboard.press('Enter');
    await expect(demo).toContainText('It was stopped', { timeout: 120_000 });
    await expect(demo.getByRole('button', { name: 'Run the demo again' })).toBeVisible();
    await expect(
      page.getByRole('region', { name: 'Last results' }).getByRole('row', { name: /base/ }),
    ).toContainText('stopped');
    await sized(page, 'home-demo-stopped');
    await page.reload();
    await expect(demo).toContainText('It was stopped');
    expect(complaints).toEqual([]);
  });
});

test.describe('with finished samples', () => {
  const workbench = new Workbench();
  const samples = join(workbench.home, 'Whetstone', 'samples');
  test.beforeAll(async () => {
    const spec = join(workbench.folder, 'finished.json');
    writeFileSync(spec, JSON.stringify({ ...small, name: 'finished', budget: { steps: 2, batch: 4 } }));
    await workbench.run('run', spec, '--anyway', '--workspace', samples);
    await workbench.start();
  });
  test.afterAll(() => workbench.remove());

  test('Welcome and Home open them, in a workspace of their own', async ({ page }) => {
    const complaints = await watch(page);
    const open = page.getByRole('button', { name: 'Open the finished samples' });
    await page.goto(workbench.url);
    await expect(page.getByText(/^Each sample, as it ended/)).toContainText(samples);
    await sized(page, 'welcome-samples');
    await open.focus();
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Last results' });
    await expect(results.getByRole('link', { name: 'finished' })).toBeVisible();
    await expect(open).toHaveCount(0);

    await page.goto(`${workbench.url.split('#')[0]}#/welcome`);
    await page.getByLabel('New folder').fill(join(workbench.folder, 'own'));
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await expect(results).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Samples' })).toContainText(samples);
    await sized(page, 'home-samples');
    await page
      .getByRole('region', { name: 'Samples' })
      .getByRole('button', { name: /finished/ })
      .click();
    await expect(results.getByRole('link', { name: 'finished' })).toBeVisible();
    expect(complaints).toEqual([]);
  });
});

test.describe('in a workspace with runs', () => {
  const workbench = new Workbench();
  test.beforeAll(async () => {
    for (const name of ['one', 'two']) await workbench.trained({ ...small, name });
    await workbench.start('--workspace', join(workbench.folder, 'first'));
  });
  test.afterAll(() => workbench.remove());

  test('Home shows results, counts and the next step; every place is one key or click away', async ({
    page,
  }) => {
    const complaints = await watch(page);
    await page.goto(workbench.url);
    await atHome(page);
    const results = page.getByRole('region', { name: 'Last results' });
    await expect(results.getByRole('row', { name: /^one sft/ })).toContainText(
      /pass@1.*\.\d+ \[\.\d+, \.\d+\]/,
    );
    await expect(loopLink(page, 'Compare')).toContainText('2 evaluated runs');
    // after 20 steps a policy solves nothing, or hardly anything
    await expect(page.getByRole('link', { name: /^(Open “two”|Sharpen the policy)$/ })).toHaveAttribute(
      'href',
      /checkpoint=|#\/runs\/./,
    );
    await sized(page, 'home-results');

    await loopLink(page, 'Compare').click();
    await expect(page.getByRole('heading', { name: 'Comparison' })).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await results.getByRole('link', { name: 'two' }).click();
    await expect(page.getByLabel('Run name')).toHaveValue('two');
    expect(complaints).toEqual([]);
  });

  test('the palette knows datasets, methods and actions', async ({ page }) => {
    const complaints = await watch(page);
    const path = join(workbench.folder, 'capitals.jsonl');
    writeFileSync(path, '{"prompt": "Capital of France?", "answer": "Paris"}\n');
    await page.goto(workbench.url);
    await importPath(page, path);
    await expect(page.getByRole('tab', { name: 'Doctor' })).toHaveAttribute('aria-selected', 'true');
    const address = new URL(page.url()).hash.split('?')[0];
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await expect(loopLink(page, 'Data')).toContainText('1 dataset');

    await palette(page, 'capitals', /^capitals 1 row/);
    await look(page, 'palette-dataset');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`${address}$`));

    await palette(page, 'relative policy', /^Group Relative Policy Optimization/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/methods\/method\/grpo$/);

    await palette(page, 'two step', /^two, step 20/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/models\//);

    await palette(page, 'compare the last', /^Compare the last 2 finished runs/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/compare\?runs=/);

    const html = page.locator('html');
    const before = await html.getAttribute('data-theme');
    await palette(page, 'toggle', 'Toggle theme');
    await page.keyboard.press('Enter');
    await expect(html).toHaveAttribute('data-theme', before === 'dark' ? 'light' : 'dark');
    expect(complaints).toEqual([]);
  });
});
