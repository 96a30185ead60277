import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { renderReport } from '../../main/report/index.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { lookAtFile, watch } from './workbench.ts';

test.skip(!chromium(), noChromium);

const folder = mkdtempSync(join(tmpdir(), 'whetstone-report-'));
const hostile = '</script><script>document.title = "owned"</script>';
test.beforeAll(() => {
  const steps = Array.from({ length: 41 }, (_none, step) => step);
  const html = renderReport({
    title: 'Two runs',
    createdAt: 0,
    sections: [
      {
        title: 'Curves',
        blocks: ['reward', 'loss'].map((y) => ({
          kind: 'chart',
          title: y,
          x: 'step',
          y,
          series: [
            {
              name: 'steady',
              colour: 0,
              points: steps.map((step) => [step, step === 7 ? Number.NaN : 2 * step]),
            },
            { name: hostile, colour: 1, points: steps.map((step) => [step, step === 20 ? 500 : 1]) },
          ],
        })),
      },
    ],
  });
  writeFileSync(join(folder, 'report.html'), html);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const chartOf = (page: Page, title: string) => page.getByRole('group', { name: title });
const tipOf = (page: Page) => page.locator('.tip').first();
const axis = (page: Page) => page.locator('g.axes').first().locator('text').allTextContents();

test('charts of a report are read, zoomed and hidden offline, and texts stay texts', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await expect(page).toHaveTitle('Two runs');
  await lookAtFile(page, 'report');

  await test.step('hover shows names and numbers', async () => {
    const box = await chartOf(page, 'reward').boundingBox();
    if (!box) throw new Error('the chart is not drawn');
    // the plot is from 52 to 490 of 640 units, steps 0 to 40
    const at = (step: number) => box.x + ((52 + (438 * step) / 40) / 640) * box.width;
    await page.mouse.move(at(20), box.y + box.height / 2);
    await expect(tipOf(page)).toContainText('steady: reward 40 at step 20');
    await expect(tipOf(page)).toContainText(`${hostile}: reward 500 at step 20`);
    await page.mouse.move(at(7), box.y + box.height / 2);
    await expect(tipOf(page)).toContainText('steady: reward not a number at step 7');

    await page.mouse.move(at(2), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(at(12), box.y + 20);
    await page.mouse.up();
    await expect.poll(() => axis(page)).toContain('4');
    expect(await axis(page)).not.toContain('40');
    await expect(page.locator('g[data-series="1"]').first()).toHaveAttribute('clip-path', 'url(#plot-0)');
    await lookAtFile(page, 'report-zoomed');
    await page.mouse.dblclick(at(6), box.y + 20);
    await expect.poll(() => axis(page)).toContain('40');
  });

  await test.step('arrow keys read point by point', async () => {
    await chartOf(page, 'reward').focus();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowRight');
    await expect(tipOf(page)).toContainText('steady: reward 4 at step 2');
    await page.keyboard.press('ArrowLeft');
    await expect(tipOf(page)).toContainText('steady: reward 2 at step 1');
  });

  await test.step('a name hides its run in every chart, and shows it again', async () => {
    const names = page.getByRole('button', { name: 'steady' });
    await expect(names).toHaveCount(2);
    await names.first().focus();
    await page.keyboard.press('Enter');
    for (const name of await names.all()) await expect(name).toHaveAttribute('aria-pressed', 'false');
    await expect(page.locator('g[data-series="0"]').last()).toHaveAttribute('visibility', 'hidden');
    await expect(page.locator('g[data-series="1"]').last()).toHaveAttribute('visibility', 'visible');
    await page.keyboard.press('Enter');
    await expect(page.locator('g[data-series="0"]').last()).toHaveAttribute('visibility', 'visible');
  });
  expect(complaints).toEqual([]);
});
