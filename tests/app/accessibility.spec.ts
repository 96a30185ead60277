import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { violationsOn } from './accessibility.ts';

test.skip(!chromium(), noChromium);

/** A page with this body, grey text in light, and a language. */
const pageOf = (body: string) =>
  `<html lang="en"><title>planted</title><style>
    :root { color-scheme: light dark; color: light-dark(#bbb, #eee); background: light-dark(#fff, #111); }
  </style><main><h1 style="color: light-dark(#000, #fff)">Planted</h1>${body}</main></html>`;

test('planted faults are found: every rule in one colour scheme, colours in the other', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setContent(pageOf('<p>Grey</p>'));
  expect(await violationsOn(page, 'all')).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violationsOn(page, 'colours')).toEqual([expect.stringMatching(/^color-contrast: p \(/)]);

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setContent(pageOf('<button></button><input>'));
  const found = await violationsOn(page, 'all');
  expect(found.map((text) => text.split(':', 1)[0])).toEqual(['button-name', 'label', 'target-size']);
});
