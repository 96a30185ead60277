import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium as browsers, type Page } from '@playwright/test';
import { root } from '../run/check.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { launchOptions } from './browser.ts';
import { smallPng } from './small-png.ts';
import { decide, runLink, Workbench } from './workbench.ts';

/**
 * `npm run screenshots [-- --workspace DIR] [--to DIR]`: takes the screenshots of README.md, light and dark.
 * Without `--workspace`, runs the demo first. A workspace of your own stays as it is, since a copy of it is
 * shown; it must hold the runs of a demo, and no other Whetstone may have it open.
 */
const { values } = parseArgs({ options: { workspace: { type: 'string' }, to: { type: 'string' } } });
const target = resolve(values.to ?? join(root, 'assets/screenshots'));
/** Decisions made before the labeling screen is shown; after five it would show the pace of this script. */
const decisions = ['ArrowLeft', 'ArrowRight', 't', 'ArrowLeft'];

/** Opens one screen by clicks and keys, and waits until its data is shown. */
const shots: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  label: async (page) => {
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    const source = page.getByLabel('Source');
    const option = source.locator('option', { hasText: 'answers to label' });
    await source.selectOption((await option.getAttribute('value', { timeout: 10_000 })) ?? '');
    await page.getByLabel('Only pairs of one right and one wrong answer').check();
    await page.getByRole('button', { name: 'Create pairs' }).click();
    await page.getByRole('region', { name: 'Prompt' }).waitFor({ timeout: 60_000 });
    for (const key of decisions) await decide(page, key);
    await page.keyboard.press('d');
  },
  run: async (page) => {
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await runLink(page, 'grpo-verifier').click();
    await page.locator('.u-over').first().waitFor();
  },
  compare: async (page) => {
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    for (const name of ['base', 'dpo', 'grpo-verifier', 'grpo-reward-model'])
      await page.getByRole('checkbox', { name: new RegExp(`^${name}\\b`) }).check();
    await page.getByRole('tab', { name: 'Configuration' }).waitFor();
    await page.locator('tbody tr').nth(3).waitFor();
  },
};

const workbench = new Workbench();
try {
  if (!chromium()) throw new Error(noChromium);
  const first = join(workbench.folder, 'first');
  if (values.workspace === undefined) {
    process.stdout.write('Running the demo: about five minutes on two cores …\n');
    await workbench.command('demo');
  } else await workbench.run('workspace', 'backup', first, '--workspace', resolve(values.workspace));
  await workbench.start('--workspace', first);
  mkdirSync(target, { recursive: true });
  const browser = await browsers.launch(launchOptions);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(workbench.url);
  for (const [name, open] of Object.entries(shots)) {
    await open(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(() => document.fonts.ready);
      await page.waitForTimeout(1000);
      const path = join(target, `${name}-${colorScheme}.png`);
      const picture = smallPng(await page.screenshot());
      writeFileSync(path, picture);
      process.stdout.write(`${path}: ${Math.ceil(picture.length / 1000)} kB\n`);
    }
  }
  await browser.close();
} finally {
  await workbench.remove();
}
