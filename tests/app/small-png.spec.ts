import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { smallPng } from './small-png.ts';

test.skip(!chromium(), noChromium);

test('a smaller picture keeps the colours of surfaces and differs little elsewhere', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 200 });
  await page.setContent(`<body style="margin:0;background:#f8f9fb;font:16px sans-serif">
    <div style="height:60px;background:#fff">Surface</div>
    <div style="height:60px;background:linear-gradient(90deg,#0072b2,#d55e00)">Gradient</div>
    <p>Text on the ground</p>`);
  const before = await page.screenshot();
  const after = smallPng(before);
  expect(after.length).toBeLessThan(before.length);

  const pixels = await page.evaluate(
    async (pictures) =>
      await Promise.all(
        pictures.map(async (data) => {
          const image = new Image();
          image.src = `data:image/png;base64,${data}`;
          await image.decode();
          const { width, height } = image;
          const canvas = Object.assign(document.createElement('canvas'), { width, height });
          const context = canvas.getContext('2d');
          context?.drawImage(image, 0, 0);
          return [...(context?.getImageData(0, 0, width, height).data ?? [])];
        }),
      ),
    [before.toString('base64'), after.toString('base64')],
  );
  const [old, now] = pixels;
  expect(old.length).toBeGreaterThan(4 * 300 * 150);
  expect(now.length).toBe(old.length);
  const at = (x: number, y: number) => now.slice(4 * (y * 320 + x), 4 * (y * 320 + x) + 4);
  expect([at(300, 30), at(300, 190)]).toEqual([
    [255, 255, 255, 255],
    [248, 249, 251, 255],
  ]);
  const largest = old.reduce((most, value, index) => Math.max(most, Math.abs(value - now[index])), 0);
  expect(largest).toBeLessThanOrEqual(16);
});
