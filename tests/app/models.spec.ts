import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { decodeSafetensors } from '../../engine/models/weights/safetensors.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { writeAdapterFolder, writeModelFolder } from '../support/model-folder.ts';
import { atHome, look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

test('adds a model from a folder, inspects its tokens, starts a run from it, and removes it', async ({
  page,
}) => {
  const complaints = await watch(page);
  const folder = writeModelFolder(join(workbench.folder, 'tiny-llama'), { settings: { vocab_size: 430 } });
  await page.goto(workbench.url);
  await atHome(page);
  await page.keyboard.press('g');
  await page.keyboard.press('m');

  await test.step('a folder without a model shows an error', async () => {
    await expect(page.getByText('No models yet')).toBeVisible();
    await page.getByLabel('Folder of a model').fill(join(workbench.folder, 'nowhere'));
    await page.getByLabel('Folder of a model').press('Enter');
    await expect(page.getByRole('alert')).toContainText('nowhere');
    await look(page, 'models-empty');
  });

  await test.step('add the folder', async () => {
    await page.getByLabel('Folder of a model').fill(folder);
    await page.getByRole('button', { name: 'Add the folder' }).click();
    await expect(page.getByLabel('Model name')).toHaveValue('tiny-llama');
    const facts = page.getByRole('complementary', { name: 'Facts' });
    await expect(facts.getByText('llama', { exact: true })).toBeVisible();
    await expect(facts.getByText('64 tokens')).toBeVisible();
    await expect(facts.getByText('To train a LoRA', { exact: true })).toBeVisible();
  });

  await test.step('try it by keyboard', async () => {
    await page.getByLabel('Prompt').fill('12 * 3');
    await page.getByLabel('Maximum tokens').fill('24');
    await page.getByLabel('Top-p').fill('0.95');
    await page.getByLabel('Prompt').press('Control+Enter');
    const tokens = page.getByRole('listbox', { name: 'Tokens of the answer' });
    await expect(tokens).toBeVisible({ timeout: 60_000 });
    await tokens.focus();
    await page.keyboard.press('ArrowRight');
    await expect(tokens.getByRole('option', { selected: true })).toHaveAttribute(
      'aria-label',
      /log-probability/,
    );
    await expect(page.getByText('Token 2', { exact: true })).toBeVisible();
    const texts = () => tokens.getByRole('option').allInnerTexts();
    const first = await texts();
    expect(first.length).toBeLessThanOrEqual(24);
    await look(page, 'models-try');
    await page.getByRole('button', { name: 'Another' }).click();
    await expect.poll(texts).not.toEqual(first);
    await page.getByLabel('Seed').fill('0');
    await page.getByLabel('Prompt').press('Control+Enter');
    await expect.poll(texts, 'the same seed gives the same answer').toEqual(first);
    await page.getByText('Table', { exact: true }).click();
    await expect(page.getByRole('columnheader', { name: 'log-probability' })).toBeVisible();
    await look(page, 'models-table');
  });

  await test.step('export it in a chosen number type, and show the path', async () => {
    await page.getByRole('button', { name: 'Export…' }).click();
    const form = page.getByRole('form', { name: 'Export' });
    const to = join(workbench.folder, 'exported');
    await form.getByLabel('Into a new folder').fill(folder);
    await form.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(form.getByRole('alert')).toContainText('exists already');
    await form.getByLabel('Into a new folder').fill(to);
    await form.getByLabel('Weights as').selectOption('bfloat16, rounded');
    await form.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(form.getByRole('status')).toContainText(to);
    expect(
      new Set(
        decodeSafetensors(readFileSync(join(to, 'model.safetensors')), to)
          .values()
          .map(({ dtype }) => dtype),
      ),
    ).toEqual(new Set(['BF16']));
    await look(page, 'models-export');
    await form.getByRole('button', { name: 'Close' }).click();
  });

  await test.step('add an adapter of it, and merge the two', async () => {
    await page.getByLabel('Folder of a model').fill(
      await writeAdapterFolder(join(workbench.folder, 'tiny-adapter'), {
        base: folder,
        named: 'somebody/tiny-llama',
      }),
    );
    await page.getByRole('button', { name: 'Add the folder' }).click();
    await expect(page.getByLabel('Model name')).toHaveValue('tiny-adapter');
    const facts = page.getByRole('complementary', { name: 'Facts' });
    await expect(facts.getByText('LoRA of rank 2')).toBeVisible();
    await expect(facts.getByRole('link', { name: 'tiny-llama' })).toBeVisible();
    await page.getByRole('button', { name: 'Export…' }).click();
    const form = page.getByRole('form', { name: 'Export' });
    await expect(form.getByLabel('Weights as')).toBeDisabled();
    await form.getByLabel('Into a new folder').fill(join(workbench.folder, 'merged'));
    await form.getByLabel('Merged into its base model').check();
    await look(page, 'models-merge');
    await form.getByRole('button', { name: 'Merge and export' }).click();
    await expect(form.getByRole('status')).toContainText('merged');
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the model' }).click();
    await expect(page.getByText('Choose a model')).toBeVisible();
    await page.getByRole('list', { name: 'Added folders' }).getByRole('link', { name: 'tiny-llama' }).click();
  });

  await test.step('start a run from it', async () => {
    await page.getByRole('link', { name: 'Start a run from it' }).click();
    await openAdvanced(page);
    await expect(page.getByRole('combobox', { name: /^Model\b/ })).toContainText('tiny-llama');
    await page.goBack();
  });

  await test.step('remove it', async () => {
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the model' }).click();
    await expect(page.getByText('No models yet')).toBeVisible();
  });
  expect(complaints).toEqual([]);
});
