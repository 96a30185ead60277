import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

test('the command palette and the keyboard help are accessible', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await atHome(page);

  await page.keyboard.press('Shift+?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(keys.getByText('Command palette')).toBeVisible();
  await look(page, 'keys');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

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
