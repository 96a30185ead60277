import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, previewPath, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

test.describe('files of other tools', () => {
  const workbench = new Workbench();
  test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
  test.afterAll(() => workbench.remove());

  test('columns are mapped by hand, and the dataset is exported as pairs, by keyboard', async ({ page }) => {
    const complaints = await watch(page);
    const path = join(workbench.folder, 'rows.csv');
    writeFileSync(path, 'frage,gut,schlecht,note\np,x,y,1\nq,v,w,2\n');
    await page.goto(workbench.url);
    await previewPath(page, path);
    await expect(page.getByText('The columns are not what any kind of dataset needs')).toBeVisible();
    await page.getByRole('button', { name: 'Choose columns by hand' }).press('Enter');
    await page.getByRole('combobox', { name: 'Prompt', exact: true }).selectOption('frage');
    await page.getByRole('combobox', { name: 'Chosen', exact: true }).selectOption('gut');
    await page.getByRole('combobox', { name: 'Rejected', exact: true }).selectOption('schlecht');
    await look(page, 'import-by-hand');
    await page.getByRole('button', { name: 'Preview with these columns' }).press('Enter');
    await expect(page.getByText('"frage" as prompt, "gut" as chosen, "schlecht" as rejected')).toBeVisible();
    await page.getByRole('button', { name: 'Import 2 records' }).press('Enter');
    await expect(page.getByRole('tab', { name: 'Doctor' })).toHaveAttribute('aria-selected', 'true');

    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    const panel = page.getByRole('form', { name: 'Export of rows' });
    await expect(panel.getByRole('combobox', { name: 'Format' })).toBeFocused();
    await panel.getByRole('combobox', { name: 'Format' }).selectOption('TRL preference');
    const target = join(workbench.folder, 'pairs.jsonl');
    await panel.getByLabel('Into the file').fill(target);
    await page.keyboard.press('Enter');
    await expect(panel.getByText(`Wrote 2 records into ${target}`)).toBeVisible();
    await look(page, 'export-file');
    const [first] = readFileSync(target, 'utf8').split('\n');
    expect(JSON.parse(first)).toEqual({ prompt: 'p', chosen: 'x', rejected: 'y', note: '1' });

    await panel.getByRole('combobox', { name: 'Format' }).selectOption('TRL stepwise supervision');
    const none = join(workbench.folder, 'steps.jsonl');
    await panel.getByLabel('Into the file').fill(none);
    await page.keyboard.press('Enter');
    await expect(panel.getByText('left out were 4 rows without marked steps')).toBeVisible();
    expect(existsSync(none)).toBe(false);
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    expect(complaints).toEqual([]);
  });
});
