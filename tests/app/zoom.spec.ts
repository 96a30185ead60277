import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let ids: readonly string[] = [];
test.beforeAll(async () => {
  const folder = join(workbench.folder, 'first');
  ids = await workbench.planted<string[]>('tests/support/curves-child.ts');
  await workbench.start('--workspace', folder);
});
test.afterAll(() => workbench.remove());

const open = (page: Page, address: string) => workbench.open(page, address);
const chart = (page: Page) => page.getByRole('img', { name: /^loss: / });
/** First and last step that the chart shows, once it is drawn at their resolution. */
async function spanOf(page: Page): Promise<[number, number]> {
  await expect(chart(page)).toHaveAttribute('aria-busy', 'false');
  const [from, to] = ((await chart(page).getAttribute('data-span')) ?? '').split(' ').map(Number);
  return [from, to];
}
const widthOf = ([from, to]: readonly [number, number]): number => to - from;
/** The pixels of the chart, to tell whether two pictures are the same. */
const picture = (page: Page): Promise<string> =>
  chart(page)
    .locator('canvas')
    .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());

test('curves zoom and move by wheel, drag and keys, and return by a double click', async ({ page }) => {
  const complaints = await watch(page);
  await open(page, `#/compare?runs=${ids.join(',')}&tab=curves&curves=loss`);
  await expect(chart(page)).toHaveAttribute('data-span', '0 40000');
  await look(page, 'curves-whole');
  const whole = await spanOf(page);
  const over = chart(page).locator('.u-over');
  const box = await over.boundingBox();
  if (!box) throw new Error('no chart');
  const [middle, height] = [box.x + box.width / 2, box.y + box.height / 2];

  await page.mouse.move(middle, height);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  await expect.poll(async () => widthOf(await spanOf(page))).toBeLessThan(widthOf(whole) / 100);
  await look(page, 'curves-zoomed');
  const near = await spanOf(page);
  expect(near[0]).toBeLessThan(20_000);
  expect(near[1]).toBeGreaterThan(20_000);

  // a point of a single step is drawn: the read-out has the step under the pointer
  await page.mouse.move(middle + 1, height);
  await expect(page.locator('figcaption .readout')).toContainText(/step (19|20)/);

  await chart(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await spanOf(page))[0]).toBeGreaterThan(near[0]);
  await page.keyboard.press('-');
  await expect.poll(async () => widthOf(await spanOf(page))).toBeGreaterThan(widthOf(near) * 1.1);

  await page.mouse.dblclick(middle, height);
  await expect.poll(() => spanOf(page)).toEqual(whole);
  await page.mouse.move(box.x + box.width * 0.25, height);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, height, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => (await spanOf(page))[0] / 10_000).toBeCloseTo(1, 1);
  const dragged = await spanOf(page);
  expect(dragged[1] / 10_000).toBeCloseTo(2, 1);

  // a link in a second tab shows the same part, and another axis all of it
  await expect(page).toHaveURL(/span=(99|10)\d{2}/);
  const address = new URL(page.url()).hash;
  const second = await page.context().newPage();
  await second.goto(`${workbench.url.split('#')[0]}${address}`);
  await expect.poll(async () => (await spanOf(second)).map(Math.round)).toEqual(dragged.map(Math.round));
  await second.getByRole('combobox', { name: 'x', exact: true }).selectOption('seconds');
  await expect(second).not.toHaveURL(/span=\d/);
  await expect.poll(async () => widthOf(await spanOf(second))).toBeLessThan(1000);
  await second.close();

  await page.keyboard.down('Shift');
  await page.mouse.move(middle, height);
  await page.mouse.down();
  await page.mouse.move(middle - box.width * 0.2, height, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect
    .poll(async () => ((await spanOf(page))[0] - dragged[0]) / widthOf(dragged))
    .toBeCloseTo(0.2, 1);
  await chart(page).focus();
  await page.keyboard.press('0');
  await expect.poll(() => spanOf(page)).toEqual(whole);
  expect(complaints).toEqual([]);
});

test('hiding a run and showing it again gives the same picture, in the same colours', async ({ page }) => {
  const complaints = await watch(page);
  await open(page, `#/compare?runs=${ids.join(',')}&tab=curves&curves=loss`);
  await expect(chart(page)).toHaveAttribute('data-span', '0 40000');
  const before = await picture(page);
  const runs = page.getByRole('group', { name: 'Runs drawn' });
  const marks = () =>
    runs.locator('svg, .swatch').evaluateAll((all) => all.map((swatch) => swatch.outerHTML));
  const colours = await marks();
  await runs.getByRole('checkbox').nth(2).uncheck();
  await expect(chart(page)).not.toHaveAttribute('aria-label', /run 02/);
  await expect.poll(() => picture(page)).not.toBe(before);
  expect(await marks()).toEqual(colours);
  await runs.getByRole('checkbox').nth(2).check();
  await expect.poll(() => picture(page)).toBe(before);
  expect(complaints).toEqual([]);
});

test('a run’s own curves zoom the same way', async ({ page }) => {
  const complaints = await watch(page);
  await open(page, `#/runs/${ids[0]}/curves`);
  await expect(chart(page)).toHaveAttribute('data-span', '0 40000');
  await chart(page).focus();
  for (let turn = 0; turn < 20; turn += 1) await page.keyboard.press('+');
  await expect.poll(async () => widthOf(await spanOf(page))).toBeLessThan(600);
  await look(page, 'curves-of-a-run');
  await page.keyboard.press('0');
  await expect.poll(() => spanOf(page)).toEqual([0, 40_000]);
  expect(complaints).toEqual([]);
});
