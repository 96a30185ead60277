import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { decide, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const small: RunSpecInput = {
  name: 'base',
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  budget: { steps: 8, batch: 8 },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 4, samples: 2 },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 32 },
      tokenizer: { kind: 'characters' },
    },
  },
};
/** Runs this specification; returns the id of its only checkpoint. */
const launched = async (spec: RunSpecInput): Promise<string> => (await workbench.trained(spec)).checkpointId;
test.beforeAll(async () => {
  const checkpointId = await launched(small);
  await launched({
    ...small,
    name: 'sharpened',
    method: { id: 'grpo', params: { groupSize: 4 } },
    models: { policy: { kind: 'checkpoint', checkpointId } },
  });
  await launched({
    ...small,
    name: 'judge',
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'world', id: 'toy/pairs', params: { length: 2 } },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const runLink = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: new RegExp(`^${name}\\b`) });

/** Imports these rows under a name, and shows them. */
async function imported(page: Page, name: string, rows: readonly object[]): Promise<void> {
  const path = join(workbench.folder, `${name}.jsonl`);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(`${new URL(page.url()).origin}/#/datasets`);
  await importPath(page, path);
  await page.getByRole('tab', { name: /Rows/ }).click();
}

/** Waits until settings are stored, which happens a moment after their last change. */
const stored = (page: Page) => page.waitForTimeout(600);

/** Saves a chart in this form; returns the file. */
async function saved(page: Page, chart: string, kind: 'CSV' | 'PNG' | 'SVG'): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: `Save ${chart}`, exact: true }).click();
  const item = kind === 'CSV' ? 'Data as CSV' : `Picture as ${kind}`;
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(new RegExp(`\\.${kind.toLowerCase()}$`));
  return readFileSync(await file.path());
}

test('a search finds all words in any order and marks them; heads stand over their cells', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await imported(page, 'stories', [
    { prompt: 'A robe takes 2 bolts of blue fiber and half that much white fiber.', answer: '3' },
    { prompt: 'Bolts for a wardrobe', answer: 'no garment' },
    ...Array.from({ length: 60 }, (_, at) => ({ prompt: `Filler ${at}`, answer: String(at) })),
  ]);
  await page.getByLabel('Search rows').fill('bolts robe');
  await expect(page.getByText('1 row', { exact: true })).toBeVisible();
  await expect(page.getByRole('option').locator('mark')).toHaveText(['robe', 'bolts']);
  await page.getByRole('option').first().click();
  const row = page.getByRole('complementary', { name: 'Row' });
  await expect(row.locator('mark')).toHaveText(['robe', 'bolts']);
  await look(page, 'rows-search');
  await page.getByLabel('Search rows').fill('');
  await expect(page.getByText('62 rows')).toBeVisible();
  const edges = await page.evaluate(() =>
    ['.head.cells > *', '[role=option] .cells > *'].map((cells) =>
      [...document.querySelectorAll(cells)].slice(2, 5).map((cell) => cell.getBoundingClientRect().left),
    ),
  );
  expect(edges[0]).toEqual(edges[1]);
  await page.setViewportSize({ width: 1000, height: 700 });
  await look(page, 'rows-narrow');
  await page.reload();
  await expect(row).toHaveCount(0);
  await page.getByRole('option').first().click();
  await expect(row.getByText('robe').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('pairs are offered only where two answers to a prompt are; the last decisions stay visible', async ({
  page,
}) => {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  const single = Array.from({ length: 4 }, (_, at) => ({ prompt: `question ${at}`, answer: `${at}` }));
  await imported(page, 'single', single);
  await expect(page.getByRole('link', { name: 'Train on it' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Label pairs' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Doctor' }).click();
  await expect(page.getByText('No prompt has two different answers')).toBeVisible();
  const pairs = Array.from({ length: 30 }, (_, at) => [
    { prompt: `question ${at}`, answer: `${at}` },
    { prompt: `question ${at}`, answer: `${at + 1}` },
  ]).flat();
  await imported(page, 'double', pairs);
  await page.getByRole('link', { name: 'Label pairs' }).click();
  await expect(page.getByRole('option', { name: 'single (one answer per prompt)' })).toBeDisabled();
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await page.setViewportSize({ width: 1000, height: 700 });
  for (let pair = 1; pair <= 22; pair++) {
    await decide(page, pair % 2 ? '1' : '2');
    await expect(page.getByText(`${pair} / 30`)).toBeVisible();
  }
  await expect(page.getByText(/^chose left: \d+ %$/)).toBeVisible();
  const boxes = await page
    .locator('footer')
    .first()
    .locator('li button, .keys button, .facts span')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().toJSON() as DOMRect));
  for (const [at, a] of boxes.entries())
    for (const b of boxes.slice(at + 1)) {
      const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      expect(isApart, JSON.stringify([a, b])).toBe(true);
    }
  await look(page, 'label-narrow');
});

test('panes fold by button and key, and stay folded and as wide as they were', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await runLink(page, 'base').click();
  const facts = page.getByRole('complementary', { name: 'Facts' });
  const list = page.getByRole('complementary', { name: 'Runs' });
  await page.getByRole('separator', { name: 'Width of Runs' }).press('ArrowRight');
  const { width } = (await list.boundingBox()) ?? { width: 0 };
  expect(width).toBe(316);
  await page.getByRole('button', { name: 'Pane: Facts' }).click();
  await expect(facts).toHaveCount(0);
  await page.keyboard.press('Control+b');
  await expect(list).toHaveCount(0);
  await look(page, 'run-folded');
  await stored(page);
  await page.reload();
  await expect(page.getByLabel('Run name')).toHaveValue('base');
  await expect(page.getByRole('button', { name: 'Pane: Facts' })).toHaveAttribute('aria-pressed', 'false');
  await expect(facts).toHaveCount(0);
  await page.keyboard.press('Control+b');
  expect((await list.boundingBox())?.width).toBe(width);
  await page.keyboard.press('Control+Shift+b');
  await expect(facts).toBeVisible();
  await stored(page);
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.setViewportSize({ width: 1000, height: 700 });
  await expect(page.getByRole('button', { name: 'Pane: Facts' })).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('compare names what runs refer to, and every chart is saved in light colours', async ({ page }) => {
  const complaints = await watch(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await runLink(page, 'sharpened').click();
  await page.getByRole('main').getByRole('link', { name: 'Compare', exact: true }).click();
  // with the run that it began from
  await expect(page.getByRole('checkbox', { name: 'base' })).toBeChecked();
  await page.getByRole('tab', { name: 'Configuration' }).click();
  const checkpoint = page.getByRole('row', { name: /models\.policy\.checkpointId/ });
  await expect(checkpoint).toContainText('base, step 8');
  await expect(page.getByRole('rowheader', { name: 'models.policy.architecture.width' })).toHaveCount(0);
  await page.getByRole('checkbox', { name: /^Show all/ }).check();
  await expect(page.getByRole('rowheader', { name: 'models.policy.architecture.width' })).toBeVisible();
  await look(page, 'compare-all');
  await page.getByRole('tab', { name: 'Results' }).click();
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });

  const checkPicture = async (chart: string) => {
    const svg = (await saved(page, chart, 'SVG')).toString();
    expect(svg, chart).toContain(`>${chart}<`);
    expect(svg, chart).not.toMatch(/var\(|oklch|class=/);
    expect(svg, 'a white page').toMatch(/<rect[^>]*fill="rgb\(255,255,255\)"/);
    const png = await saved(page, chart, 'PNG');
    const width = Number(/width="([\d.]+)"/.exec(svg)?.[1]);
    expect(png.readUInt32BE(16), `${chart} at twice its width`).toBe(Math.floor(2 * Math.floor(width)));
    expect((await saved(page, chart, 'CSV')).toString().split('\n').length).toBeGreaterThan(1);
    if (process.env.WHETSTONE_SHOTS)
      writeFileSync(join(process.env.WHETSTONE_SHOTS, `chart-${chart.replaceAll(/\W+/g, '-')}.png`), png);
  };
  await checkPicture('Gold reward over √KL');
  await page.getByRole('tab', { name: 'Curves' }).click();
  await checkPicture('reward/mean');
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page
    .getByRole('list', { name: 'Reward models' })
    .getByRole('link', { name: /^judge/ })
    .click();
  await expect(page.getByRole('button', { name: 'Save Reliability' })).toBeVisible();
  for (const button of await page.getByRole('button', { name: /^Save / }).all())
    await checkPicture(((await button.getAttribute('aria-label')) ?? '').replace('Save ', ''));
  await look(page, 'rewards-charts');
  expect(complaints).toEqual([]);
});
