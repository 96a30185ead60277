import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { help } from '../../renderer/help.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

const screens = [
  ['welcome', 'Workspaces'],
  ['home', 'Home'],
  ['datasets', 'Datasets'],
  ['label', 'Label'],
  ['rewards', 'Rewards'],
  ['runs', 'Runs'],
  ['runs/new', 'Launch a run'],
  ['compare', 'Compare'],
  ['models', 'Models'],
  ['methods', 'Methods'],
  ['atlas', 'Atlas'],
  ['settings', 'Settings'],
  ['self-test', 'Self-test'],
] as const;

test('each screen says what it is for and shows its keys, by ? and by the button', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  const dialog = page.getByRole('dialog');
  for (const [id, title] of screens) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${id}`);
    await expect(page.getByRole('main').first()).toBeVisible();
    await page.keyboard.press('Shift+?');
    await expect(dialog).toHaveAccessibleName(`Help: ${title}`);
    await expect(dialog).toHaveAccessibleDescription(help[id].purpose.join(' '));
    for (const [, what] of help[id].keys ?? []) await expect(dialog.getByText(what)).toBeVisible();
    await expect(dialog.getByText('Command palette')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }

  const button = page.getByRole('button', { name: 'Help' });
  await page.evaluate(() => {
    location.hash = '#/runs';
  });
  for (const size of [
    { width: 1000, height: 700 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeVisible();
    await look(page, `help-${size.width}`);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(button, 'focus returns').toBeFocused();
  }
  expect(complaints).toEqual([]);
});

test('the command palette is accessible', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await atHome(page);

  await page.keyboard.press('Control+k');
  const command = page.getByRole('combobox', { name: 'Commands' });
  await expect(command).toBeFocused();
  await look(page, 'palette');
  await command.fill('no such thing at all');
  await expect(page.getByText('Nothing of that name.')).toBeVisible();
  await look(page, 'palette-empty');
  await command.fill('compare');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/#\/compare/);
  expect(complaints).toEqual([]);
});
