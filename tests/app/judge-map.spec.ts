import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { smallJudge } from '../support/small-judge.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const prompts = 160;
const workbench = new Workbench();
let judgeId = '';

test.beforeAll(async () => {
  const path = join(workbench.folder, 'questions.jsonl');
  // every seventh pair is labeled against the rule, so that judges err
  const lines = Array.from({ length: 2 * prompts }, (_none, i) => {
    const prompt = i >> 1;
    const isGood = i % 2 === 0;
    return JSON.stringify({
      prompt: `Which is ${prompt}?`,
      answer: isGood ? `It is ${prompt}${'.'.repeat(prompt % 4)}` : `No ${'x'.repeat(prompt % 9)}`,
      correct: isGood === prompt % 7 > 0,
    });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
  await workbench.command('import', path);
  const [{ id }] = await workbench.answer<{ id: string }[]>('datasets', 'list');
  judgeId = (await workbench.trained(smallJudge('judge', id, 0))).runId;
  await workbench.trained(smallJudge('second', id, 1));
  await workbench.trained(smallJudge('third', id, 2));
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Takes pictures in the sizes of small, common and large screens. */
async function looked(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [1000, 700],
    [1920, 1080],
    [1280, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `${name}-${width}`);
  }
}
const chart = (page: Page) => page.getByRole('img', { name: /^Map of \d+ answers by / });
const nearest = (page: Page) => page.getByRole('region', { name: 'Nearest answers' }).getByRole('row');

test('a map is computed, coloured, and leads to near answers and to the pairs of a region, by keyboard', async ({
  page,
}) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/map`);
  await expect(page.getByRole('heading', { name: 'This judge has no map yet' })).toBeVisible();
  await look(page, 'judge-map-empty');
  await page.getByRole('button', { name: 'Compute the map' }).focus();
  await page.keyboard.press('Enter');
  await expect(chart(page)).toBeVisible();
  await expect(page.getByRole('img', { name: /^Colours of score from/ })).toBeVisible();
  await expect(
    page.getByRole('status').filter({ hasText: /distinct answers\. 16 numbers an answer/ }),
  ).toBeVisible();

  // the chart's table is the way to a point without a pointer
  await page.getByRole('button', { name: /table/i }).first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('table').getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/pair=0&side=chosen/);
  await expect(page.getByRole('region', { name: 'Pair 1', exact: true })).toBeVisible();
  await expect(nearest(page)).toHaveCount(12);
  await expect(nearest(page).nth(1)).toContainText('this answer');
  await nearest(page)
    .nth(2)
    .getByRole('link', { name: /^Show pair/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/pair=0&side=chosen/);
  await expect(nearest(page)).toHaveCount(12);
  await page.getByRole('button', { name: /table/i }).first().click();

  await page.getByRole('combobox', { name: 'Colour' }).selectOption('error');
  await expect(page.getByRole('group', { name: 'Parts of the map' }).getByRole('listitem')).toHaveText([
    /^right\s*\d+$/,
    /^wrong\s*\d+$/,
  ]);
  await looked(page, 'judge-map-error');

  await page.getByLabel('Least x').fill('1,5');
  await expect(page.getByText('“1,5” is not a number.')).toBeVisible();
  await page.getByLabel('Least x').fill('0');
  const show = page.getByRole('button', { name: /^Show \d+ pairs?$/ });
  await expect(show).toBeEnabled();
  const shown = (await show.textContent())?.replace('Show ', '').trim() ?? '';
  const address = page.url();
  expect(address).toContain('mark=region%3A0..%3A..');
  await page.getByLabel('Least x').press('Enter');
  await expect(page.getByRole('tab', { name: /^Pairs/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('status').filter({ hasText: shown }).first()).toBeVisible();
  await expect(page.getByText('Region of the map: x from 0, y any')).toBeVisible();
  await page.keyboard.press('d');
  await page.keyboard.type('in the region');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: `${shown} saved as the dataset` })).toBeVisible();

  // the address of the map holds the colour, the point and the region
  await page.goto(address);
  await expect(page.getByLabel('Least x')).toHaveValue('0');
  await expect(page.getByRole('combobox', { name: 'Colour' })).toHaveValue('error');
  await expect(nearest(page)).toHaveCount(12);
  expect(complaints).toEqual([]);
});

test('a drag chooses a region, and a click an answer', async ({ page }) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/map?colour=side`);
  await expect(chart(page)).toBeVisible();
  const box = await chart(page).boundingBox();
  if (!box) throw new Error('the chart has no place');
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...at(0.1, 0.05));
  await page.mouse.down();
  await page.mouse.move(...at(0.95, 0.85), { steps: 4 });
  await page.mouse.up();
  await expect(page.getByRole('button', { name: /^Show \d+ pairs$/ })).toBeEnabled();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(page.getByLabel('Most y')).toHaveValue('');
  for (let step = 0; step < 90 && !page.url().includes('pair='); step += 1)
    await page.mouse.click(...at(0.05 + 0.01 * step, 0.3 + 0.004 * step));
  await expect(nearest(page)).toHaveCount(12);
  await page.getByRole('button', { name: /^Label again/ }).click();
  await expect(page.getByRole('region', { name: 'Prompt' })).toContainText('Which is');
  expect(complaints).toEqual([]);
});

test('several models are an ensemble, whose disagreement orders the pairs and colours the map', async ({
  page,
}) => {
  const complaints = await watch(page);
  await workbench.open(page, `#/rewards/${judgeId}/against`);
  const models = page.getByRole('group', { name: 'Compare with' });
  await models.getByLabel('second').focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('Answers put into the same order')).toBeVisible();
  await models.getByLabel('third').focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('Answers put into the same order')).toBeHidden();
  const table = page.getByRole('region', { name: 'Ensemble' }).getByRole('row');
  await expect(table).toHaveCount(5);
  await expect(table.nth(4)).toContainText('Ensemble');
  await expect(
    page.getByRole('status').filter({ hasText: /being wrong: ρ = [-−]?[01]?\.\d+, n = \d+\./ }),
  ).toBeVisible();
  await looked(page, 'judge-ensemble');

  await page.getByRole('link', { name: 'Pairs by disagreement' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Order')).toHaveValue('ensemble');
  const pairs = page.getByRole('region', { name: 'Pairs' });
  await expect(pairs.getByRole('columnheader', { name: 'spread' })).toBeVisible();
  const cells = await pairs.getByRole('row').locator('td:nth-child(4)').allTextContents();
  const spreads = cells.map((text) => Number(text.replace('−', '-')));
  expect(spreads).toEqual(spreads.toSorted((a, b) => b - a));
  await looked(page, 'judge-ensemble-pairs');
  await page.getByText('With 2 other models').click();
  await page.getByLabel('second').uncheck();
  await page.getByLabel('third').uncheck();
  await expect(page.getByLabel('Order')).toHaveValue('stored');

  await workbench.open(page, `#/rewards/${judgeId}/map`);
  await expect(chart(page)).toBeVisible();
  await page.getByText('With other models').click();
  await page.getByLabel('third').check();
  await expect(page.getByRole('combobox', { name: 'Colour' })).toHaveValue('ensemble');
  await expect(page.getByRole('img', { name: /^Colours of disagreement from/ })).toBeVisible();
  await looked(page, 'judge-map-ensemble');
  expect(complaints).toEqual([]);
});
